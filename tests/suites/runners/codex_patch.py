"""Codex's apply_patch scenarios by `wherefore call fs.patch`, as its models send them: no path beside the patch."""

from codex_scenarios import SOURCES, WHY, describe_difference, read_scenarios
from outcome import FAILED, HARMED, PASSED, CaseResult

__all__ = ["SOURCES", "check_cases"]


def check_cases(data, program):
    for scenario in read_scenarios(data):
        with program.make_workspace(scenario.before) as workspace:
            result = workspace.call_tool("fs.patch", {"diff": scenario.patch, "why": WHY})
            after = workspace.read_files()
        answer = result.get("status") or f"{result.get('code')}: {result.get('message')}"
        if after == scenario.after:
            yield CaseResult(scenario.name, PASSED)
        else:
            state = HARMED if result.get("status") == "applied" else FAILED
            yield CaseResult(scenario.name, state, describe_difference(scenario, after, answer))
