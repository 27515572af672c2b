"""Every parser of a service's description, in the order in which they are asked.

Room: `parsers.services`, its list; only the registry imports it, so that a part of this package can be had without the rest.
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
