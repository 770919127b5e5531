"""Findings, and the report that `retrograd doctor` makes of them."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, field
from typing import Any

from .places import Place, short
from .words import counted


@dataclass
class Finding:
    """Something a program does wrong: where, what, why that matters, and what to write instead."""

    kind: str
    what: str
    why: str
    cure: str
    file: str = ""
    line: int = 0
    text: str = ""
    times: int = 1
    cause: str = ""              # the line that is to blame, where several findings follow from it

    @classmethod
    def at(cls, where: Place | None, kind: str, what: str, why: str, cure: str,
           cause: str = "") -> Finding:
        """A finding at a line."""
        if where is None:
            return cls(kind, what, why, cure, cause=cause)
        return cls(kind, what, why, cure, short(where.file), where.line, where.text, cause=cause)

    def __str__(self):
        head = f"{self.file}:{self.line}  {self.text}" if self.file else "(no line)"
        times = f" ({self.times} times)" if self.times > 1 else ""
        said = ("what", self.what + times), ("why", self.why), ("cure", self.cure)
        return "\n".join([head, *(f"    {label:4}  " + text.replace("\n", "\n          ")
                                   for label, text in said if text)])


LAST = ("evaluation-recorded", "retained", "hooks-pile-up", "double")     # what costs only time
NAN = re.compile(r"\bnan\b", re.IGNORECASE)
ONE_BY_ONE = ("no-gradient", "not-in-optimizer")       # several of a line are several findings


@dataclass
class Report:
    """What the doctor found; prints as text."""

    program: str
    findings: list[Finding] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)      # checks that failed themselves, and how
    passes: int | None = None                              # backward passes that were seen
    stopped: bool = False                                  # Ctrl-C has ended the program

    def add(self, finding: Finding) -> None:
        """Keep a finding; one that is known already only counts, a consequence is left out."""
        for known in self.findings:
            if finding.cause and known.cause == finding.cause and known.kind != finding.kind:
                return
            same = (known.kind, known.file, known.line) == (finding.kind, finding.file,
                                                            finding.line)
            if same and (known.what == finding.what or finding.line
                         and finding.kind not in ONE_BY_ONE):
                known.times += 1
                return
        self.findings.append(finding)

    def ordered(self) -> list[Finding]:
        """What ended the program first, what only takes time and memory last.

        An error that only says that it met nan comes after the line that made it.
        """
        def rank(f):
            if met_nan and f.kind.startswith("nan-"):
                return 0
            return 3 if f.kind in LAST else 1 + (f.kind != "error")
        met_nan = any(f.kind == "error" and NAN.search(f.what) for f in self.findings)
        return sorted(self.findings, key=rank)

    def to_dict(self) -> dict[str, Any]:
        """The same as plain lists, strings and numbers."""
        return {"program": self.program, "findings": [asdict(f) for f in self.ordered()],
                "left_out": list(self.left_out)}

    def to_json(self) -> str:
        """The same as JSON text."""
        return json.dumps(self.to_dict(), indent=1)

    def __str__(self):
        found = counted(len(self.findings), "finding") if self.findings else "nothing found"
        facts = ["was stopped before its end"] if self.stopped else []
        if self.passes == 0 and not self.findings:
            facts.append("made no backward pass in this process")
        which = f", which {' and '.join(facts)}" if facts else ""
        lines = [f"retrograd doctor: {found} in {self.program}{which}"]
        lines += [f"\n{number}. {finding}" for number, finding in enumerate(self.ordered(), 1)]
        lines += [f"\nA check of the doctor failed, and was left out: {check}"
                  for check in self.left_out]
        return "\n".join(lines)
