"""From a request to clear to rules, and from what was cleared to the reply: the same for a worker and on the spot."""

import msgspec

from coatcheck_core.settings import Settings
from coatcheck_schemas.clearing import ClearedItem, ClearReply, ClearRequest

from .clearing import Cleared
from .rules import Rules, ToolRule


def rules_of(request: ClearRequest, settings: Settings, *, has_retrieval: bool = True) -> Rules:
    """Raises RequestError (`invalid_argument`), which names the field, where a value cannot be."""
    return Rules(
        clearing_token_threshold=request.clearing_token_threshold,
        keep_recent_tokens=request.keep_recent_tokens,
        clear_at_least_tokens=request.clear_at_least_tokens,
        placeholder=request.placeholder,
        exclude_tools=frozenset(request.exclude_tools),
        keep_rounds=request.keep_rounds,
        clear_arguments=request.clear_arguments,
        tools={name: ToolRule(**msgspec.structs.asdict(rule)) for name, rule in request.tools.items()},
        retrieval=settings.retrieval,
        language=settings.stub.language,
        has_retrieval=has_retrieval,
    )


def reply_of(cleared: Cleared) -> ClearReply:
    return ClearReply(
        messages=cleared.messages,
        cleared=[
            ClearedItem(index=one.slot.index, call_id=one.slot.call_id, ref=one.ref, tokens=one.tokens)
            for one in cleared.cleared
        ],
        tokens_before=cleared.tokens_before,
        tokens_after=cleared.tokens_after,
        offloaded=all(one.ref is not None for one in cleared.cleared),
    )
