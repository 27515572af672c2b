"""Descriptions of services: systemd units, `systemctl`, the journal, compose files, containers, pods.

Room: `parsers`. One module per form. Every setting comes out as a clue with its line; which unit is the run's, what a drop-in
changes and whether a policy can restart for ever is decided further right, with the other documents of the arm.
"""

from __future__ import annotations

from kvaudit.parsers.interface import Parser
from kvaudit.parsers.services.compose import ComposeFile
from kvaudit.parsers.services.describe import KubectlDescribe, KubectlGet
from kvaudit.parsers.services.docker_inspect import DockerInspect
from kvaudit.parsers.services.journal import ManagerJournal
from kvaudit.parsers.services.kubernetes import KubernetesManifest
from kvaudit.parsers.services.systemctl import SystemctlShow, SystemctlStatus
from kvaudit.parsers.services.unit_file import UnitFile

PARSERS: tuple[Parser, ...] = (
    UnitFile(),
    SystemctlShow(),
    SystemctlStatus(),
    ManagerJournal(),
    ComposeFile(),
    DockerInspect(),
    KubernetesManifest(),
    KubectlDescribe(),
    KubectlGet(),
)
"""Every parser of a service's description; at most one recognises a document."""
