"""The main flow: a result comes in, a stub goes out.

receive (of an upload, all its pieces) -> examine (decode, identify) -> decide (pure: coatcheck_core.decision for one
result, coatcheck_core.turns for a turn) -> keep in object storage -> publish the stub event, once (delivery.py). A
result of a turn may wait for the others in between (turns.py). What raises here is settled in one place, settling.py.
"""

import msgspec

from coatcheck_schemas.segments import EMPTY
from coatcheck_workers.flow.delivery import Delivery
from coatcheck_workers.flow.turns import Turns
from coatcheck_workers.streams.arriving import Arrived
from coatcheck_workers.uploads.receiving import Receiving


class Results(msgspec.Struct, frozen=True, kw_only=True):
    """What the flow needs: how a decision is carried out, and what the turns decide."""

    receiving: Receiving
    delivery: Delivery
    turns: Turns

    async def handle(self, arrived: Arrived, *, without_store: bool = False) -> None:
        """Raises InvalidInput for what can never be processed, anything else for what may go through later."""
        if not self.receiving.opens_upload(arrived):
            await self._handle(arrived)
            return
        async with self.receiving.whole(arrived, without_store=without_store) as whole:
            if whole is not None:
                await self._handle(whole)

    async def _handle(self, arrived: Arrived) -> None:
        case = await self.delivery.examine(arrived)
        if case.result.address.turn == EMPTY:
            await self.delivery.deliver_alone(case)
        else:
            await self.turns.arrive(case, arrived)
