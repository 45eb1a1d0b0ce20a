"""An agent of the Model Context Protocol that starts `wherefore mcp`, calls tools, and answers what servers ask its person."""

import json
import subprocess

INFO = {"name": "suite-agent", "version": "1"}


class McpAgent:
    """The agent in a workspace; use it in a `with` statement."""

    def __init__(self, workspace):
        words = [workspace.program.path, "mcp", "--root", workspace.root]
        self.server = subprocess.Popen(words, env=workspace.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, text=True)
        self.count = 0
        capabilities = {"elicitation": {"form": {}}}
        self.request("initialize", {"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": INFO})
        self.write({"method": "notifications/initialized"})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.stdin.close()
        self.server.wait(timeout=20)

    def write(self, message):
        print(json.dumps({"jsonrpc": "2.0", **message}), file=self.server.stdin, flush=True)

    def request(self, method, params):
        """Sends a request; returns its result, or its error. Questions that come meanwhile are answered with yes."""
        self.count += 1
        self.write({"id": self.count, "method": method, "params": params})
        for line in self.server.stdout:
            message = json.loads(line)
            if message.get("id") == self.count and "method" not in message:
                return message.get("result") or {"error": message.get("error")}
            if "id" in message:
                is_question = message["method"] == "elicitation/create"
                answer = {"action": "accept", "content": fill_form(message["params"])} if is_question else {}
                self.write({"id": message["id"], "result": answer})
        raise EOFError("the program ended")

    def call_tool(self, name, arguments):
        return self.request("tools/call", {"name": name, "arguments": arguments})


def fill_form(params):
    """Returns a value for each member of a form: its default, or yes and a word."""
    members = params.get("requestedSchema", {}).get("properties", {}).items()
    return {name: one.get("default", True if one.get("type") == "boolean" else "yes") for name, one in members}
