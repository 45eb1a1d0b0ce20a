"""How cases went, the known differences, and the figures that were recorded last."""

import fnmatch
from dataclasses import dataclass, field

PASSED, FAILED, HARMED, LEFT_OUT = "passed", "failed", "harmed", "left out"
# The first words of a reason: a difference that is meant, or one that is to be mended.
ACCEPTED, GAP = "accepted: ", "gap: "


@dataclass
class CaseResult:
    """How a case went. `state` is one of the constants above.

    HARMED is a failure in which the program said that it did something and what it did is wrong. LEFT_OUT is a case that
    is about something that the program does not promise; it counts neither as passed nor as failed.
    """

    name: str
    state: str
    reason: str = ""


def check_case(name, good, reason=""):
    """Returns a case that passed, or that failed for the reason."""
    return CaseResult(name, PASSED if good else FAILED, "" if good else reason)


@dataclass
class Tally:
    """The sum of a suite's cases."""

    suite: str
    known: dict
    counts: dict = field(default_factory=lambda: dict.fromkeys((PASSED, FAILED, HARMED, LEFT_OUT), 0))
    unnamed: list = field(default_factory=list)
    mended: list = field(default_factory=list)
    seconds: float = 0.0

    def add_case(self, case):
        """Counts a case; returns the line that --list prints for it, if it did not pass."""
        accepted = find_reason(self.known, case.name)
        is_accepted = accepted.startswith(ACCEPTED)
        self.counts[FAILED if case.state == HARMED and is_accepted else case.state] += 1
        if case.state == PASSED:
            if case.name in self.known:
                self.mended.append(case.name)
            return None
        if case.state != LEFT_OUT and not accepted:
            self.unnamed.append(case.name)
        reason = " ".join(case.reason.split())[:300]
        return f"{case.state:8} {self.suite}/{case.name}: {reason}{f'  [{accepted}]' if accepted else ''}"

    @property
    def passed(self):
        return self.counts[PASSED]

    @property
    def all(self):
        return self.passed + self.counts[FAILED] + self.counts[HARMED]

    def summary(self):
        """Returns the suite's line."""
        more = [f"{self.counts[state]} {state}" for state in (HARMED, LEFT_OUT) if self.counts[state]]
        more.append(f"{self.seconds:.0f} s")
        lines = [f"{self.suite}: {self.passed}/{self.all} ({', '.join(more)})"]
        if self.mended:
            lines.append(f"  passes by now, and can leave known/{self.suite}.txt: {', '.join(self.mended)}")
        return "\n".join(lines)

    def find_faults(self, figures):
        """Returns a sentence for each thing that makes the run fail."""
        faults = []
        if self.unnamed:
            shown = ", ".join(self.unnamed[:5]) + (", …" if len(self.unnamed) > 5 else "")
            faults.append(f"{self.suite}: {len(self.unnamed)} not named in known/{self.suite}.txt: {shown}")
        recorded = figures.passed(self.suite)
        if self.passed < recorded:
            faults.append(f"{self.suite}: {self.passed} passed, {recorded} when the figure was recorded")
        harmed = figures.harmed(self.suite)
        if self.counts[HARMED] > harmed:
            faults.append(f"{self.suite}: {self.counts[HARMED]} harmed, {harmed} when the figure was recorded")
        return faults


class Figures:
    """The figures that were recorded last: `suite passed all seconds [harmed]`, one suite a line."""

    def __init__(self, path):
        lines = path.read_text().splitlines() if path.exists() else []
        rows = [line.split() for line in lines if line.strip() and not line.startswith("#")]
        self.rows = {row[0]: [int(number) for number in row[1:5]] for row in rows}

    def passed(self, suite):
        return self.rows.get(suite, [0])[0]

    def harmed(self, suite):
        return (self.rows.get(suite, []) + [0] * 4)[3]

    def seconds(self, suite):
        """The seconds that a suite took; none are known of one without a figure, which counts as quick."""
        row = self.rows.get(suite, [])
        return row[2] if len(row) > 2 else 0


def find_reason(known, name):
    """Returns the reason of a known difference; nothing of another case."""
    return known.get(name) or next((reason for glob, reason in known.items() if "*" in glob and fnmatch.fnmatchcase(name, glob)), "")


def read_known(path):
    """Returns the known differences of a suite: the reason of each case.

    A reason begins with ACCEPTED or GAP and stands at the left margin; below it, indented, the names of its cases, one a line.
    In a name, `*` is any text.
    """
    known, reason = {}, ""
    for line in path.read_text().splitlines() if path.exists() else []:
        if line.startswith("  "):
            known[line.strip()] = reason
        elif line.strip() and not line.startswith("#"):
            reason = line.strip()
            if not reason.startswith((ACCEPTED, GAP)):
                raise ValueError(f"{path}: a reason begins with `{ACCEPTED}` or `{GAP}`: {reason}")
    return known
