"""The program as a client of a server at an address, for the conformance suite: it calls what the scenario names, or every tool.

usage: conformance_client.py PROGRAM ADDRESS, with MCP_CONFORMANCE_CONTEXT in the environment where the scenario has one
"""

import json
import os
import sys
import time
from pathlib import Path

from mcp_agent import McpAgent
from program import Program

NODE = "Custom/Suite"
WHY = "Do what the conformance suite asks for"
# Seconds until the server's tools are there.
LIMIT = 20
SAMPLES = {"string": "text", "integer": 1, "number": 1.5, "boolean": True, "array": [], "object": {}}


def main(path, address):
    with Program(Path(path)).make_workspace({"a.txt": "a\n"}) as workspace:
        settings = workspace.home / "config_home/wherefore/config.toml"
        settings.parent.mkdir(parents=True)
        settings.write_text(f'[mcp_servers.suite]\nurl = "{address}"\nimport = "{NODE}"\n')
        with McpAgent(workspace) as agent:
            for name, arguments in list_calls(workspace):
                inner = {"tool_id": f"suite.{name}", "arguments": {"why": WHY, **arguments}, "why": WHY}
                print(name, json.dumps(agent.call_tool("call_tool", inner)))


def list_calls(workspace):
    """Returns the calls to make, each a tool's name and its arguments."""
    schemas = {name.partition(".")[2]: schema for name, schema in list_tools(workspace).items()}
    named = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT", "{}")).get("toolCalls")
    if named:
        return [(call["name"], call["arguments"]) for call in named]
    echo = next((name for name, schema in schemas.items() if "schema" in schema.get("properties", {})), None)
    if echo:
        return [(echo, {"schema": schema}) for name, schema in schemas.items() if name != echo]
    return [(name, make_arguments(schema)) for name, schema in schemas.items()]


def make_arguments(schema):
    """Makes a value of its type for each argument of a schema, but for the reason."""
    properties = schema.get("properties", {}).items()
    return {name: SAMPLES.get(one.get("type"), "text") for name, one in properties if name != "why"}


def list_tools(workspace):
    """Returns the schema of each tool of the server, once they are there."""
    until = time.monotonic() + LIMIT
    while time.monotonic() < until:
        listed = workspace.run("tools", "list", NODE, "--json", "--limit", "50")
        if listed.returncode == 0 and (tools := json.loads(listed.stdout)["tools"]):
            names = [tool["tool_id"] for tool in tools]
            shown = {name: workspace.run("tools", "show", name, "--format", "mcp").stdout for name in names}
            return {name: json.loads(text)["inputSchema"] for name, text in shown.items()}
        time.sleep(0.2)
    return {}


main(*sys.argv[1:])
