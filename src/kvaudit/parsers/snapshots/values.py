"""Printed cells become values: MiB, W, MHz, switches, modes, throttle reasons, PCIe links.

Room: `parsers.snapshots`. Every converter gives None for what is not printed (`[N/A]`, `ERR!`, `[Not Supported]`, …): unknown
stays unknown. Spellings follow the CSV form of nvidia-smi.
"""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median

from kvaudit.patterns import LatePattern

_NUMBER = LatePattern(r"^\s*(-?\d{1,15}(?:\.\d{1,6})?)\s*(?:MiB|MB|W|MHz|Mhz|%|us|C)?\s*$")
_WHOLE = LatePattern(r"^\s*(\d{1,10})\s*$")
_NOT_APPLICABLE = frozenset({"n/a", "[n/a]", "[not supported]", "not supported"})
_SWITCHES = {"enabled": "Enabled", "disabled": "Disabled", "on": "Enabled", "off": "Disabled", "1": "Enabled", "0": "Disabled"}
_MODES = {
    "default": "Default",
    "e. process": "Exclusive_Process",
    "exclusive_process": "Exclusive_Process",
    "exclusive process": "Exclusive_Process",
    "e. thread": "Exclusive_Thread",
    "exclusive_thread": "Exclusive_Thread",
    "prohibited": "Prohibited",
}
_REASON_BITS = (
    "gpu_idle",
    "applications_clocks_setting",
    "sw_power_cap",
    "hw_slowdown",
    "sync_boost",
    "sw_thermal_slowdown",
    "hw_thermal_slowdown",
    "hw_power_brake_slowdown",
    "display_clock_setting",
)
_REASON_NAMES = {"idle": "gpu_idle", "display_clocks_setting": "display_clock_setting"}
_PROVING_REASONS = frozenset({"gpu_idle", "sw_power_cap", "hw_slowdown", "sw_thermal_slowdown"})
_HIDDEN_NAMES = frozenset({"", "-", "n/a", "[n/a]", "[not found]", "[insufficient permissions]", "[unknown error]"})
LOADED = 50.0
"""Utilization in percent from which a sample counts as under load."""


def number(text: str) -> float | None:
    """A number with or without its unit."""
    match = _NUMBER.match(text)
    return float(match.group(1)) if match else None


def whole(text: str) -> int | None:
    """A whole number of at most ten digits, such as an index or a process id."""
    match = _WHOLE.match(text)
    return int(match.group(1)) if match else None


def mib(text: str) -> int | None:
    """Whole MiB."""
    value = number(text)
    return None if value is None or value < 0 else round(value)


def positive(text: str) -> float | None:
    """A number above zero, such as a power limit."""
    value = number(text)
    return value if value is not None and value > 0 else None


def switch(text: str) -> str | None:
    """`Enabled`, `Disabled` or `N/A` in every spelling; a trailing star marks a pending change."""
    word = text.strip().rstrip("*").lower()
    return "N/A" if word in _NOT_APPLICABLE else _SWITCHES.get(word)


def ecc_of_count(text: str) -> str | None:
    """ECC mode from the cell that counts errors: a number means that it is on."""
    word = text.strip()
    return "Enabled" if whole(word) is not None else switch(word)


def compute_mode(text: str) -> str | None:
    """`Default`, `Exclusive_Process`, `Exclusive_Thread` or `Prohibited`."""
    return _MODES.get(text.strip().lower())


def reason_name(text: str) -> str:
    """The CSV suffix of a throttle reason from any form's key."""
    name = text.strip().lower().replace(" ", "_")
    for prefix in ("clocks_throttle_reason_", "clocks_event_reason_", "clocks_throttle_reasons.", "clocks_event_reasons."):
        name = name.removeprefix(prefix)
    return _REASON_NAMES.get(name, name)


def active_reasons(printed: Iterable[tuple[str, str]]) -> list[str] | None:
    """Active reasons of (name, `Active`/`Not Active`) pairs; None unless the telling ones are all printed."""
    states = {reason_name(name): state.strip().lower() for name, state in printed}
    if any(states.get(name) not in {"active", "not active"} for name in _PROVING_REASONS):
        return None
    return [name for name in _REASON_BITS if states.get(name) == "active"]


def mask_reasons(text: str) -> list[str] | None:
    """Active reasons of a `clocks_event_reasons.active` bit mask (NVML `nvmlClocksEventReasons`)."""
    try:
        mask = int(text.strip(), 16)
    except ValueError:
        return None
    return [name for bit, name in enumerate(_REASON_BITS) if mask >> bit & 1] if 0 <= mask < 1 << len(_REASON_BITS) else None


def pcie(generation: str, width: str) -> str | None:
    """A link such as `gen4 x16`."""
    lanes, gen = number(width.strip().lower().rstrip("x")), number(generation)
    return f"gen{gen:.0f} x{lanes:.0f}" if lanes and gen else None


def loaded_median(samples: Iterable[tuple[float | None, float | None]]) -> float | None:
    """Median clock of (utilization, clock) samples under load; None where no sample is."""
    clocks = [clock for use, clock in samples if use is not None and clock is not None and use >= LOADED]
    return float(median(clocks)) if clocks else None


def visible_name(text: str | None) -> str | None:
    """A process name, None where the tool hides it."""
    name = (text or "").strip()
    return None if name.lower() in _HIDDEN_NAMES else name


def shown_type(text: str | None) -> str | None:
    """A process type as printed (`C`, `G`, `C+G`, `M+C`), None where it is not."""
    kind = (text or "").strip().upper()
    kind = {"G+C": "C+G", "COMPUTE": "C", "GRAPHICS": "G"}.get(kind, kind)
    return kind if kind in {"C", "G", "C+G", "M+C", "M"} else None
