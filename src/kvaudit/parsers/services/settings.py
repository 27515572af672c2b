"""One setting of a service as a clue, and the facts of its launch command.

Room: `parsers.services`, shared by all forms. A setting keeps who manages the service, which service, which document said it,
section, key and text; nothing is judged here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from kvaudit.fields import Stage
from kvaudit.parsers.facts import Fact, Reading
from kvaudit.parsers.launch_command.facts import facts_of
from kvaudit.parsers.launch_command.options import LaunchCommand
from kvaudit.parsers.launch_command.parser import OriginMaker
from kvaudit.parsers.launch_command.published import CLUE, Port, address_of
from kvaudit.parsers.launch_command.words import Word, plain
from kvaudit.parsers.tables import fact
from kvaudit.sources.source import Source

KIND = "service"
Manager = Literal["systemd", "docker", "compose", "kubernetes"]
MOST_SETTINGS = 2_000


@dataclass(slots=True)
class Settings:
    """Collects the settings of the services of one document. `reader` names the parser in origins."""

    source: Source
    reader: str
    manager: Manager
    facts: list[Fact] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    maker: OriginMaker = field(init=False)

    def __post_init__(self) -> None:
        self.maker = OriginMaker(self.source, self.reader)

    def say(
        self, service: str, key: str, value: Any, word: Word, *, section: str = "", document: str = "", stage: Stage = "requested"
    ) -> None:
        """Note one setting; nothing beyond 2,000."""
        if len(self.facts) < MOST_SETTINGS:
            said = {
                "manager": self.manager,
                "service": service,
                "document": document,
                "section": section,
                "key": key,
                "value": value,
            }
            self.facts.append(fact("clue.service_setting", said, stage, [self.maker.origin(word)]))

    def command(self, service: str, words: Sequence[Word], document: str = "", stage: Stage = "requested") -> None:
        """Note the launch command of a service as a list of words."""
        if words:
            value = [word.text for word in words][:500]
            self.say(service, "command", value, words[0], document=document, stage=stage)

    def address(self, service: str, network: str | None, ports: Sequence[Port], word: Word, stage: Stage = "requested") -> None:
        """Note where the ports of a container can be reached."""
        if len(self.facts) < MOST_SETTINGS:
            self.facts.append(fact(CLUE, address_of(service, network, ports), stage, [self.maker.origin(word)]))

    def launch(self, service: str, launch: LaunchCommand | None, *, closed: bool) -> None:
        """The facts of a server's command, where the service starts one."""
        if launch is not None:
            self.facts += facts_of(launch, self.maker.origin, service, closed=closed)

    def reading(self, wrapper: str | None = None) -> Reading:
        """Everything noted. Clues that repeat are said once."""
        return Reading(kind=KIND, facts=list({str(one): one for one in self.facts}.values()), notes=self.notes, wrapper=wrapper)


def at(line: int, position: int = 0, pointer: str | None = None) -> Word:
    """A place that stands for a setting which is no word."""
    return plain("", line, position, pointer=pointer)
