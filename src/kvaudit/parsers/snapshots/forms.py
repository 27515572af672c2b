"""Which snapshot form a document is: one answer per document, so that exactly one parser claims it.

Room: `parsers.snapshots`. By content, never by name. Forms are tried from the one that tells most to the one that tells least:
a file that holds a table and a device list is a table. A form that prose or other logs may quote must fill its document.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import re2

from kvaudit.parsers.snapshots import amd_smi, amd_smi_text, csv_rows, gpustat, listing, monitors, others, query, rocm_smi
from kvaudit.parsers.snapshots.capture import Said
from kvaudit.parsers.snapshots.document import cleaned
from kvaudit.parsers.snapshots.json_cells import Path, json_cells
from kvaudit.parsers.snapshots.table import HEADER
from kvaudit.patterns import LatePattern
from kvaudit.sources.source import HEAD_BYTES, Source

_SURE, _QUOTED = 0.95, 0.55
_MOST_LINES = 3_000
_MOST_ANSWERS = 32
_ANSWERS: dict[tuple[str, int, str], tuple[str, float]] = {}
_BUS_ROW = LatePattern(
    r"(?m)^\W{0,40}\d{1,3}[ \t|]+\S[^\n]*?[ \t|](?:On|Off|WDDM|TCC|MCDM|N/A|ERR!)[ \t|]+"
    r"[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-9A-Fa-f]\b"
)


_JSON_SIGNS = LatePattern(r'NVIDIA-SMI|NVSMI LOG|"card\d+"|"memory\.used"|"process_list"|"market_name"|"kfd_id"|"total_vram"')


def form_of(source: Source) -> tuple[str, float]:
    """The form and the confidence; an empty name and 0 for anything else. Every parser asks, so the answer is kept."""
    key = (source.sha256, source.size, source.head)
    if key not in _ANSWERS:
        if len(_ANSWERS) >= _MOST_ANSWERS:
            _ANSWERS.clear()
        _ANSWERS[key] = _form(_looked_at(source))
    return _ANSWERS[key]


def _looked_at(source: Source) -> str:
    """The head; the whole document where the head names the tool, or is the beginning of JSON that must be read to its end."""
    head = source.head
    if source.size <= HEAD_BYTES // 2:
        return head
    beyond = _JSON_SIGNS.search(head) if _is_json(head) else "nvidia-smi" in head or "NVIDIA-SMI" in head
    return (source.text() or head) if beyond else head


def _form(text: str) -> tuple[str, float]:
    likely = (form for form in _FORMS if form.signs.search(text))
    return next(((form.name, confidence) for form in likely if (confidence := form.test(text))), ("", 0.0))


def _is_json(text: str) -> bool:
    return text.lstrip("\ufeff \t\r\n")[:1] in {"{", "["}


def _share(text: str, belongs: Callable[[str], bool]) -> float:
    """Which share of the filled lines belongs to the form."""
    lines = [line for raw in text.split("\n", _MOST_LINES)[:_MOST_LINES] if (line := cleaned(raw).strip())]
    return sum(map(belongs, lines)) / len(lines) if lines else 0.0


def _boxed(*patterns: Any) -> Callable[[str], float]:
    """A box table with one of these lines; sure when boxes fill the document, quoted when they stand in prose or JSON."""

    def test(text: str) -> float:
        bare = text.replace("\u2502", "|")
        if not any(pattern.search(bare) for pattern in patterns):
            return 0.0
        return _SURE if not _is_json(text) and _share(bare, lambda line: line[0] in "|+") >= 0.3 else _QUOTED

    return test


@lru_cache(maxsize=2)
def _csv_kind(text: str) -> str:
    header = csv_rows.find_header([cleaned(raw) for raw in text.split("\n", 200)[:200]])
    return header.kind if header else ""


def _csv(kind: str) -> Callable[[str], float]:
    return lambda text: _SURE if _csv_kind(text) == kind else 0.0


def _xml(text: str) -> float:
    return _SURE if "<nvidia_smi_log" in text and not _is_json(text) else 0.0


def _query(text: str) -> float:
    if not query.START.search(text) or not ("Attached GPUs" in text or "Product Name" in text):
        return 0.0
    return _QUOTED if _is_json(text) or _share(text, lambda line: " : " in line) < 0.3 else _SURE


def _filling(*patterns: Any) -> Callable[[str], float]:
    """A form known by its lines: the first pattern must be there, all together must fill a third of the document."""

    def belongs(line: str) -> bool:
        return any(pattern.search(line) for pattern in patterns)

    def test(text: str) -> float:
        lines = [cleaned(raw) for raw in text.split("\n", _MOST_LINES)[:_MOST_LINES]]
        if not any(patterns[0].search(line) for line in lines):
            return 0.0
        return _SURE if _share(text, belongs) >= 0.3 else 0.0

    return test


def _json(is_form: Callable[[dict[Path, Said]], bool]) -> Callable[[str], float]:
    def test(text: str) -> float:
        cells = json_cells(text) if _is_json(text) else None
        return _SURE if cells and is_form(cells) else 0.0

    return test


_TOPOLOGY_LINE = LatePattern(r"^(?:GPU\d|NIC\d|mlx\d|X |SYS |NODE |PHB |PXB |PIX |NV# |Legend|NIC Legend)")
_NUMBERS = LatePattern(r"^[\d.]+,\s*[\dN]")
_ROCM = LatePattern(rf"{rocm_smi.CONCISE.pattern}|^GPU\[\d+\]\s*: .*(?:VRAM|Card|Temperature|Power|GPU use)")
_AMD_GPU, _AMD_KEY = amd_smi_text.GPU, LatePattern(r"^[A-Z][A-Z0-9_ ]{0,60}:(?: |$)")
_QUERY_COLUMN = (
    r"(?:memory|utilization|power|temperature|clocks?|pcie?|mig|ecc|fan|encoder|enforced)[._]|"
    r"(?:driver|kmd)_version|gpu_(?:name|uuid)"
)


@dataclass(frozen=True, slots=True)
class _Form:
    """A form: `signs` must stand somewhere in the text, then `test` says how sure it is."""

    name: str
    signs: Any
    test: Callable[[str], float]


def _signed(name: str, signs: str, test: Callable[[str], float]) -> _Form:
    return _Form(name, re2.compile(signs), test)


_FORMS: tuple[_Form, ...] = (
    _signed("nvitop", "NVITOP", _boxed(others.NVITOP)),
    _signed("npu-smi", "npu-smi", _boxed(others.NPU)),
    _signed("amd-smi", "AMD-SMI", _boxed(amd_smi.HEADER)),
    _signed("amd-smi", r"\b(?:MARKET_NAME|TOTAL_VRAM|KFD_ID|PROCESS_INFO|VBIOS|SOCKET_POWER):", _filling(_AMD_GPU, _AMD_KEY)),
    _signed("amd-smi", r"VRAM_USED\s+VRAM_TOTAL", _filling(amd_smi_text.MONITOR, amd_smi_text.MONITOR_ROW)),
    _signed("table", r"NVIDIA-SMI\s+\d|[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-9A-Fa-f]\b", _boxed(HEADER, _BUS_ROW)),
    _signed("query", "NVSMI LOG", _query),
    _signed("xml", "<nvidia_smi_log", _xml),
    _signed("csv", _QUERY_COLUMN, _csv("gpus")),
    _signed("compute-apps", r"\bpid\b", _csv("processes")),
    _signed("pmon", r"gpu\s+pid\s+type", _filling(monitors.PMON, monitors.ROW)),
    _signed("dmon", r"#\s?(?:Date\s+)?(?:Time\s+)?gpu\s", _filling(monitors.DMON, monitors.ROW)),
    _signed("list", r"\(UUID: GPU-", _filling(listing.GPU_LINE, listing.MIG_LINE)),
    _signed("topology", r"GPU0\b.*Affinity", _filling(listing.TOPOLOGY, _TOPOLOGY_LINE)),
    _signed("accounted-apps", r"\bpid\b", _csv("accounted")),
    _signed("gpustat", r"\[\d+\].*MB", _filling(gpustat.ROW, gpustat.HEAD)),
    _signed("gpustat-json", r'"memory\.(?:used|total)"', _json(gpustat.is_json)),
    _signed("rocm-smi-json", r'"card\d+"', _json(rocm_smi.is_json)),
    _signed("amd-smi-json", r'"(?:process_list|market_name|kfd_id|total_vram|vram)"', _json(amd_smi.is_json)),
    _signed("amd-smi-csv", r"gpu,.*\bvram_", _filling(amd_smi.CSV_HEADER, _NUMBERS)),
    _signed("rocm-smi", r"GPU\[\d+\]|PwrCap", _filling(_ROCM, rocm_smi.KEYED, rocm_smi.CONCISE_ROW, rocm_smi.RULE)),
    _signed("version", r"(?:NVML|NVIDIA-SMI) version", _filling(listing.VERSION)),
)
