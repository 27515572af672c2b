"""Which names are desktop programs."""

from __future__ import annotations

import pytest

from kvaudit.parsers.snapshots.desktop import is_desktop


@pytest.mark.parametrize(
    "name",
    [
        "/usr/lib/xorg/Xorg",
        "/usr/bin/gnome-shell",
        r"C:\Windows\System32\dwm.exe",
        r"...em32\ApplicationFrameHost.exe",
        "/opt/browser/chrome --type=gpu-process --flag=/x/y",
        r"...CEF\NVIDIA Overlay.exe",
        "SystemSettings.",
        "sunshine",
    ],
)
def test_desktop(name: str) -> None:
    assert is_desktop(name)


@pytest.mark.parametrize(
    "name", ["python", "VLLM::EngineCore", "/opt/x/llama-server", "/home/x/code/train", "", None, "xorg-bench"]
)
def test_not_desktop(name: str | None) -> None:
    assert not is_desktop(name)
