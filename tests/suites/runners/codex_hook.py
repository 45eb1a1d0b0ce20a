"""Codex's apply_patch scenarios by the guard's hook: the hunks are accepted, and the files compared."""

import json
import signal
import subprocess

from codex_scenarios import SOURCES, describe_difference, read_scenarios
from outcome import FAILED, HARMED, PASSED, CaseResult

# Seconds that a hook waits for the decision; the review comes right after.
HOOK_WAIT = "1"

__all__ = ["SOURCES", "check_cases"]


def check_cases(data, program):
    for scenario in read_scenarios(data):
        with program.make_workspace(scenario.before) as workspace:
            (workspace.root / ".git").mkdir()
            answer = send_patch(workspace, scenario.patch)
            after = workspace.read_files()
        if after == scenario.after:
            yield CaseResult(scenario.name, PASSED)
        else:
            state = FAILED if after == scenario.before else HARMED
            yield CaseResult(scenario.name, state, describe_difference(scenario, after, answer))


def send_patch(workspace, patch):
    """Sends a patch to the hook of a server and accepts what waits; returns the hook's answer."""
    server = subprocess.Popen([workspace.program.path, "serve", "--root", workspace.root, "--linger", "30"], cwd=workspace.root,
                              env=workspace.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    # Its first line says that it is ready.
    server.stdout.readline()
    message = {"hook_event_name": "PreToolUse", "session_id": "s", "turn_id": "t", "tool_use_id": "u", "cwd": str(workspace.root),
               "transcript_path": None, "permission_mode": "default", "tool_name": "apply_patch", "tool_input": {"command": patch}}
    try:
        ran = workspace.run("hook", "codex", "--wait", HOOK_WAIT, sent=json.dumps(message))
        workspace.run("review", "--accept", "all", "--root", str(workspace.root))
    finally:
        server.send_signal(signal.SIGTERM)
        try:
            server.wait(10)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
        server.stdout.close()
    try:
        said = json.loads(ran.stdout)["hookSpecificOutput"]
        return said.get("permissionDecisionReason") or said.get("permissionDecision")
    except (ValueError, KeyError):
        return (ran.stdout + ran.stderr).strip() or f"the hook ended with {ran.returncode} and said nothing"
