"""Words of TensorRT-LLM's lines as recorded values. A converter returns None for what it does not know: the value is dropped.

Room: pure functions of one string, used by the row tables.
"""

from __future__ import annotations

from kvaudit.parsers.converters import integer, number

_ALGORITHMS = {"FP8": "fp8", "NVFP4": "nvfp4", "INT8": "int8"}
_WEIGHTS = {
    "FP8": "fp8",
    "NVFP4": "nvfp4",
    "FP8_PER_CHANNEL_PER_TOKEN": "fp8-channel",
    "FP8_BLOCK_SCALES": "fp8-block128",
    "W8A16": "int8",
}


def gib_of_bytes(text: str) -> float | None:
    """Bytes as GiB, with the two digits that other lines print."""
    found = integer(text)
    return None if found is None else round(found / (1 << 30), 4)


def fraction(text: str) -> float | None:
    """A share of memory; older builds print it in single precision (`0.8999999761581421`)."""
    value = number(text)
    return round(value, 6) if value is not None and 0 < value <= 1 else None


def percent(text: str) -> float | None:
    """`90.00` (per cent) as the fraction 0.9."""
    value = number(text)
    return None if value is None else fraction(str(value / 100))


def text(words: str) -> str | None:
    """The words without surrounding blanks and quotes; None where Python printed None."""
    found = words.strip().strip("'\"")
    return found if found and found != "None" else None


def boolean(words: str) -> bool | None:
    """Python's and C++'s booleans."""
    return {"True": True, "true": True, "1": True, "False": False, "false": False, "0": False}.get(words)


def negated(words: str) -> bool | None:
    """The opposite of a boolean."""
    found = boolean(words)
    return None if found is None else not found


def repository(words: str) -> str | None:
    """`acme--tiny-llama` of a Hub cache folder as `acme/tiny-llama`."""
    owner, dashes, name = words.partition("--")
    return f"{owner}/{name}" if dashes and owner and name else None


def kv_algorithm(words: str) -> str | None:
    """ModelOpt's KV algorithm as an element type."""
    return _ALGORITHMS.get(words.strip().removeprefix("QuantAlgo.").upper())


def reported_kv(words: str) -> str | None:
    """The KV algorithm in trtllm-bench's report, read from the loaded model; `None` there is the model's own dtype."""
    return "model" if words == "None" else kv_algorithm(words)


def weight_algorithm(words: str) -> str | None:
    """ModelOpt's weight algorithm as a weight format, where the name alone tells."""
    return _WEIGHTS.get(words.strip().removeprefix("QuantAlgo.").upper())


def only_one(words: str) -> int | None:
    """A world of one process has one tensor and one pipeline rank; a larger one does not say how it is divided."""
    return 1 if words == "1" else None
