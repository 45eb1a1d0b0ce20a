"""git's own tests of `git apply`: each call is made by git, and by the program in a copy; the folders are compared."""

import json
import re
import tempfile
from pathlib import Path

from git_harness import GitHarness
from outcome import FAILED, HARMED, LEFT_OUT, PASSED, CaseResult
from sources import Source

SOURCES = [Source("git", "git", "1a3e64c6c4a623626ff0687008732a8e007e2a1c", ("t/",))]
SCRIPTS = re.compile(r"t41([0-3]\d|4[01])-apply-.*\.sh")
CASE = re.compile(r"(not ok|ok) (\d+) - (.*)")


def check_cases(data, program):
    tests = data["git"] / "t"
    with tempfile.TemporaryDirectory(prefix="suite-git-") as folder:
        harness = GitHarness(tests, Path(folder), program)
        for script in sorted(path.stem for path in tests.iterdir() if SCRIPTS.fullmatch(path.name)):
            yield from read_cases(script, harness.run_script(script))


def read_cases(script, log):
    """Reads what a script printed; yields its cases."""
    verdicts, seen = [], 0
    for line in log.splitlines():
        if line.startswith("#shim "):
            verdicts.append(json.loads(line.removeprefix("#shim ")))
        elif case := CASE.fullmatch(line):
            seen += 1
            name = f"{script.split('-')[0]}.{case[2]}"
            yield judge_case(name, case[1] == "ok", case[3], verdicts)
            verdicts = []
    if not seen:
        yield CaseResult(script, LEFT_OUT, "the script did not run here: " + " ".join(log.split())[:200])


def judge_case(name, is_good, title, verdicts):
    """Returns the state of a case by the verdicts on its calls: the worst of them counts."""
    # The harness marks what it skips, and what git itself fails.
    if re.search(r" # \w", title):
        return CaseResult(name, LEFT_OUT, f"the harness leaves it out: {title}")
    for verdict, state in (("harmed", HARMED), ("refused", FAILED), ("unchanged", FAILED)):
        for found in verdicts:
            if found["verdict"] == verdict:
                return CaseResult(name, state, f"{title}: {found['reason']}")
    # Some tests want words of a newer git than that of this machine.
    judged = [found for found in verdicts if found["verdict"] == "agrees"]
    if judged:
        return CaseResult(name, PASSED)
    reasons = sorted({found["reason"] for found in verdicts})
    return CaseResult(name, LEFT_OUT, f"{title}: {'; '.join(reasons) or 'it calls no git apply'}{'' if is_good else ' (fails here in any case)'}")
