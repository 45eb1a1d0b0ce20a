"""The conformance suite of the Model Context Protocol, as a server that the program uses; a case is one of its scenarios."""

import re
import subprocess
import sys
from pathlib import Path

from package_sources import PackageSource, package_env
from outcome import LEFT_OUT, CaseResult, check_case
from sources import SourceMissing

SOURCES = [PackageSource("mcp-conformance", "npm", ("@modelcontextprotocol/conformance@0.2.0-alpha.12", "node@22"))]
LIMIT = 120
CLIENT = Path(__file__).resolve().parents[1] / "conformance_client.py"
NOT_OFFERED = [
    (r"^auth/", "the program signs in nowhere: it sends the headers that the person names"),
]


def check_cases(data, program):
    place = data["mcp-conformance"]
    listed = run_suite(place, program, "list", "--client").splitlines()
    scenarios = [match[1] for line in listed if (match := re.match(r"\s+- (\S+) \[", line))]
    if not scenarios:
        raise SourceMissing("the suite lists no scenario")
    for name in scenarios:
        absent = next((reason for pattern, reason in NOT_OFFERED if re.search(pattern, name)), None)
        if absent:
            yield CaseResult(name, LEFT_OUT, absent)
            continue
        command = f"{sys.executable} {CLIENT} {program.path}"
        said = run_suite(place, program, "client", "--command", command, "--scenario", name)
        wrong = re.findall(r"^ +Error: (.*)", said, re.MULTILINE)
        yield check_case(name, "OVERALL: PASSED" in said, "; ".join(wrong) or said[-200:])


def run_suite(place, program, *words):
    """Runs the suite in a folder that goes afterwards; returns its output."""
    script = place / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
    with program.make_workspace() as workspace:
        ran = subprocess.run(["node", script, *words], cwd=workspace.home, env=package_env(place), capture_output=True,
                             text=True, errors="replace", timeout=LIMIT)
    return ran.stdout + ran.stderr
