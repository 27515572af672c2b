"""Runs in the engine's environment: prints what an installed distribution needs here, without torch and its companions.

`declared_requirements.py DISTRIBUTION`. torchvision, torchaudio and torchcodec are for models that see and hear.
"""

from __future__ import annotations

import sys
from importlib.metadata import requires

_LEFT_OUT = frozenset({"torch", "torchvision", "torchaudio", "torchcodec", "triton"})


def main(distribution: str) -> None:
    from pip._vendor.packaging.requirements import Requirement

    for line in requires(distribution) or ():
        requirement = Requirement(line)
        wanted = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        if wanted and requirement.name.lower() not in _LEFT_OUT:
            requirement.marker = None
            sys.stdout.write(f"{requirement}\n")


if __name__ == "__main__":
    main(sys.argv[1])
