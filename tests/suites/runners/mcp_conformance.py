"""The conformance suite of the Model Context Protocol, as a client of `wherefore mcp --http`; a case is one of its scenarios.

The suite's own tools stand behind the program, in a server of the person's (`mcp_fixture.py`). A forwarder adds what its
client lacks: the token and the reason of each call.
"""

import json
import re
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

from package_sources import PackageSource, package_env
from outcome import LEFT_OUT, CaseResult, check_case
from reasoning_forwarder import ReasoningForwarder
from sources import SourceMissing

SOURCES = [PackageSource("mcp-conformance", "npm", ("@modelcontextprotocol/conformance@0.1.16", "node@22"))]
LIMIT = 300
HERE = Path(__file__).resolve().parents[1]
# Scenarios about what the program has nothing for: they need fixtures that a server makes for the suite alone.
NOT_SERVED = [
    (r"^prompts-|^completion-", "the program has no prompts, and nothing to complete"),
    (r"^resources-(read|templates)", "its resources are the session's own, not the suite's"),
    (r"^json-schema-2020-12$", "a tool of an imported server is named after its server, and this one has no such prefix"),
    (r"^elicitation-sep", "forms are asked of a person by the server that wants them; the program imports tools alone"),
    (r"^tools-call-(elicitation|sampling)$", "an imported server asks neither the person nor the agent's model: the program states no such capability to it"),
]


def check_cases(data, program):
    with program.make_workspace({"a.txt": "a\n"}) as workspace, serve_http(workspace) as (port, token):
        with ReasoningForwarder(port, token) as forwarder:
            said = run_suite(data["mcp-conformance"], f"http://127.0.0.1:{forwarder.port}/mcp", workspace)
    summary = said.partition("=== SUMMARY ===")[2]
    scenarios = re.findall(r"^\S+ ([a-z0-9-]+): (\d+) passed, (\d+) failed", summary, re.MULTILINE)
    if not scenarios:
        raise SourceMissing(f"the suite came to no end: {said[-300:]}")
    for name, passed, failed in scenarios:
        absent = next((reason for pattern, reason in NOT_SERVED if re.search(pattern, name)), None)
        if absent and failed != "0":
            yield CaseResult(name, LEFT_OUT, absent)
        else:
            yield check_case(name, failed == "0" and passed != "0", f"{failed} of its checks failed")


def run_suite(place, address, workspace):
    """Runs the suite against an address; returns its output."""
    script = place / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
    ran = subprocess.run(["node", script, "server", "--url", address], cwd=workspace.home, env=package_env(place),
                         capture_output=True, text=True, errors="replace", timeout=LIMIT)
    return ran.stdout + ran.stderr


@contextmanager
def serve_http(workspace):
    """Starts the program's door of HTTP, with the fixture as a server of the person's; yields its port and its token."""
    settings = workspace.home / "config_home/wherefore/config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text(f'[mcp_servers.test]\ncommand = "{sys.executable}"\nargs = ["{HERE / "mcp_fixture.py"}"]\nimport = "Custom/Test"\n')
    words = [workspace.program.path, "mcp", "--root", workspace.root, "--http", "127.0.0.1:0"]
    server = subprocess.Popen(words, env=workspace.env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        ready = json.loads(server.stdout.readline())
        yield int(re.search(r":(\d+)/", ready["url"])[1]), ready["token"]
    finally:
        server.terminate()
        server.wait(timeout=20)
