"""`hf://org/name[@revision][/file]`: a checkpoint on the Hub, or in the local Hub cache.

Room: `sources`. Only JSON files and ranges of weights are ever fetched, through huggingface_hub, and only because somebody typed
the address. Offline (`HF_HUB_OFFLINE`), and where the Hub cannot be reached, the local cache speaks.
"""

from __future__ import annotations

from kvaudit.errors import InputError
from kvaudit.redaction import Redactor
from kvaudit.sources import hub_cache, hub_remote
from kvaudit.sources.hub_address import DOCUMENTS, Address, Snapshot, parse


def snapshot(argument: str, redactor: Redactor) -> tuple[Address, Snapshot]:
    """The files behind an address. Raises `InputError` naming it: missing, private, gated, not cached, no checkpoint in it."""
    address = parse(argument)
    found = _remote_or_cached(address, redactor)
    if not found.documents and not found.weights:
        raise InputError(
            argument, f"no checkpoint file in it (commit {found.commit}); looked for {', '.join(DOCUMENTS)} and weights"
        )
    return address, found


def _remote_or_cached(address: Address, redactor: Redactor) -> Snapshot:
    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE:
        return hub_cache.cached(address, redactor, "HF_HUB_OFFLINE is set")
    try:
        return hub_remote.fetched(address, redactor)
    except hub_remote.UnreachableError as error:
        return hub_cache.cached(address, redactor, f"the Hub cannot be reached: {error}")
