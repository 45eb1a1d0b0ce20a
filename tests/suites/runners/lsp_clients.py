"""The language server by the clients of pytest-lsp: one session each with the capabilities of a real editor; a case is a step."""

import json
import subprocess
import sys
from pathlib import Path

from outcome import check_case
from package_sources import PackageSource, package_env

SOURCES = [PackageSource("pytest-lsp", "pip", ("pytest-lsp==1.0.1", "pygls==2.1.1", "lsprotocol==2025.0.0"))]
SESSION = Path(__file__).resolve().parents[1] / "lsp_session.py"
LIMIT = 300
STEPS = 12


def check_cases(data, program):
    place = data["pytest-lsp"]
    for profile in sorted((place / "pytest_lsp/clients").glob("*.json")):
        client = profile.stem.replace("_v", "@v")
        with program.make_workspace() as workspace:
            env = {**workspace.env, "PYTHONPATH": package_env(place)["PYTHONPATH"]}
            ran = subprocess.run([sys.executable, SESSION, program.path, client, workspace.root], env=env, capture_output=True,
                                 text=True, errors="replace", timeout=LIMIT)
        steps = [json.loads(line) for line in ran.stdout.splitlines() if line.startswith("{")]
        for step in steps:
            yield check_case(f"{client}/{step['step']}", not step["wrong"], step["wrong"])
        if len(steps) < STEPS:
            yield check_case(f"{client}/end", False, f"only {len(steps)} of {STEPS} steps: {ran.stderr[-200:]}")
