"""A server of the Model Context Protocol on standard input and output, with the tools that the conformance suite calls.

It stands behind the program as a server of a person's: what its tools answer has to reach the suite through the program.
"""

import base64
import json
import sys
import time

PNG = base64.b64encode(bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c63f8cfc0f01f0005000"
    "1ff56c72f0d0000000049454e44ae426082")).decode()
WAV = base64.b64encode(b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data\0\0\0\0").decode()
TEXT = {"type": "object", "properties": {"message": {"type": "string"}, "prompt": {"type": "string"}}}
IMAGE = {"type": "image", "data": PNG, "mimeType": "image/png"}


def write_message(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def make_text(text):
    return {"type": "text", "text": text}


def make_resource(address, kind, text):
    return {"type": "resource", "resource": {"uri": address, "mimeType": kind, "text": text}}


def send_steps(_, meta):
    """Reports its progress in three steps."""
    for step in (0, 50, 100):
        if "progressToken" in meta:
            write_message({"method": "notifications/progress",
                           "params": {"progressToken": meta["progressToken"], "progress": step, "total": 100}})
        time.sleep(0.05)
    return [make_text("done")]


def send_logs(*_):
    """Sends three lines of a log."""
    for line in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        write_message({"method": "notifications/message", "params": {"level": "info", "data": line}})
        time.sleep(0.05)
    return [make_text("done")]


def ask_client(method, params):
    """Sends a request to the client and returns its result, or its error as text."""
    write_message({"id": f"ask-{method}", "method": method, "params": params})
    for line in sys.stdin:
        message = json.loads(line)
        if message.get("id") == f"ask-{method}":
            return message.get("result") or {"error": message.get("error")}
    return {"error": "the client is gone"}


def ask_person(arguments, _):
    schema = {"type": "object", "properties": {"username": {"type": "string"}, "email": {"type": "string"}},
              "required": ["username", "email"]}
    answer = ask_client("elicitation/create", {"message": arguments.get("message", ""), "requestedSchema": schema})
    return [make_text(f"User response: {json.dumps(answer)}")]


def ask_model(arguments, _):
    message = {"role": "user", "content": make_text(arguments.get("prompt", ""))}
    answer = ask_client("sampling/createMessage", {"messages": [message], "maxTokens": 100})
    return [make_text(f"LLM response: {json.dumps(answer)}")]


TOOLS = {
    "simple_text": lambda *_: [make_text("This is a simple text response for testing.")],
    "image_content": lambda *_: [IMAGE],
    "audio_content": lambda *_: [{"type": "audio", "data": WAV, "mimeType": "audio/wav"}],
    "embedded_resource": lambda *_: [make_resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")],
    "multiple_content_types": lambda *_: [make_text("Multiple content types test:"), IMAGE,
                                          make_resource("test://mixed-content-resource", "application/json", '{"test":"data"}')],
    "tool_with_logging": send_logs,
    "tool_with_progress": send_steps,
    "elicitation": ask_person,
    "sampling": ask_model,
    "error_handling": None,
}


def call_tool(name, arguments, meta):
    if TOOLS[name] is None:
        return {"content": [make_text("This tool intentionally returns an error for testing")], "isError": True}
    return {"content": TOOLS[name](arguments, meta)}


def answer_request(method, params):
    if method == "initialize":
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}, "logging": {}},
                "serverInfo": {"name": "fixture", "version": "1"}}
    if method == "tools/list":
        annotations = {"readOnlyHint": True, "openWorldHint": False}
        return {"tools": [{"name": name, "description": f"Test tool {name}", "inputSchema": TEXT, "annotations": annotations}
                          for name in TOOLS]}
    if method == "tools/call":
        return call_tool(params["name"], params.get("arguments") or {}, params.get("_meta") or {})
    return {}


def main():
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message and "method" in message:
            write_message({"id": message["id"], "result": answer_request(message["method"], message.get("params") or {})})


main()
