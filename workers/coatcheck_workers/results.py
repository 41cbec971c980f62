"""The main flow: a result comes in, a stub goes out.

decode and identify -> decide (pure, see coatcheck_core.decision) -> keep in object storage -> publish the stub event.
Each step is safe to repeat: the stub event goes out last and once, so that whatever dies in between, a redelivery
walks the same way to the same bytes. What raises here is settled in one place, settling.py.
"""

import asyncio
from collections.abc import Mapping
from concurrent.futures import Executor
from datetime import datetime
from functools import partial

import msgspec
from nats.aio.msg import Msg

from coatcheck_core.arrival import Result, identify
from coatcheck_core.decision import Decision, Rules, decide, is_quick
from coatcheck_schemas.results import decode_result
from coatcheck_schemas.store import Store
from coatcheck_schemas.subjects import CallAddress, Subjects
from coatcheck_workers.keeping import keep
from coatcheck_workers.publishing import Publisher

ON_LOOP_BYTES = 256 * 1024
"""A larger message is not even decoded on the event loop, where that takes a millisecond for each third of it."""


class Results(msgspec.Struct, frozen=True, kw_only=True):
    """What the flow needs: the rules it decides by, and the edges it acts on."""

    rules: Rules
    subjects: Subjects
    store: Store
    publisher: Publisher
    executor: Executor

    async def handle(self, message: Msg) -> Decision:
        """Raises InvalidInput for what can never be processed, anything else for what may go through later."""
        address = self.subjects.parse_result(message.subject)
        arrive = partial(self._arrive, address, message.headers, message.data, message.metadata.timestamp)
        off_loop = partial(asyncio.get_running_loop().run_in_executor, self.executor)
        result = arrive() if len(message.data) <= ON_LOOP_BYTES else await off_loop(arrive)
        decision = decide(result, self.rules) if is_quick(result) else await off_loop(decide, result, self.rules)
        if decision.stored is not None:
            await keep(self.store, self.rules.keys, address.session, decision.stored)
        subject = self.subjects.stubs(address.session, address.turn, result.result_id)
        await self.publisher.once(subject, decision.encoded)
        return decision

    def _arrive(
        self, address: CallAddress, headers: Mapping[str, str] | None, body: bytes, received_at: datetime
    ) -> Result:
        return identify(address, decode_result(headers, body), received_at)
