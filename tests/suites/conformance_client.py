"""The program as a client of a server at an address, for the conformance suite: it calls the tool of the scenario.

usage: conformance_client.py PROGRAM ADDRESS, with MCP_CONFORMANCE_SCENARIO in the environment
"""

import json
import os
import sys
from pathlib import Path

from program import Program

# The tool that a scenario waits for, and its arguments. Any other scenario is content with a list of the tools.
CALLS = {"tools_call": ("add_numbers", {"a": 2, "b": 3}), "sse-retry": ("test_reconnection", {})}


def main(path, address):
    with Program(Path(path)).make_workspace({"a.txt": "a\n"}) as workspace:
        settings = workspace.home / "config_home/wherefore/config.toml"
        settings.parent.mkdir(parents=True)
        settings.write_text(f'[mcp_servers.suite]\nurl = "{address}"\nimport = "Custom/Suite"\n')
        tool, arguments = CALLS.get(os.environ["MCP_CONFORMANCE_SCENARIO"], (None, {}))
        if tool:
            print(json.dumps(workspace.call_tool(f"suite.{tool}", {"why": "Do what the conformance suite asks for", **arguments})))
        else:
            print(workspace.run("consent", "--yes", "suite").stdout)


main(*sys.argv[1:])
