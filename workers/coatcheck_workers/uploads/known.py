"""Whether a result was handled before, told by what its handling leaves."""

import msgspec

from coatcheck_schemas.segments import EMPTY
from coatcheck_schemas.subjects import CallAddress, Subjects
from coatcheck_workers.streams.ledger import Ledger
from coatcheck_workers.streams.ports import Log


class Known(msgspec.Struct, frozen=True, kw_only=True):
    subjects: Subjects
    ledger: Ledger
    stubs: Log

    async def is_known(self, at: CallAddress, result_id: str) -> bool:
        """Its turn's ledger has it, and all else follows from there; a result without a turn has its stub."""
        if at.turn != EMPTY:
            return result_id in await self.ledger.read_anew(at.at_turn)
        return await self.stubs.last(self.subjects.stubs(at.session, at.turn, result_id)) is not None
