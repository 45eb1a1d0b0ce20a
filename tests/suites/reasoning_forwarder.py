"""A forwarder between a client that knows no tokens and no reasons, and the program's door of HTTP.

It adds the bearer token to each request and a `why` to each call of a tool; all else passes as it is, `Host` and `Origin`
with the program's own port in the place of the forwarder's.
"""

import json
import socket
import threading
from contextlib import suppress

WHY = "Do what the conformance suite asks for"
BLOCK = 1 << 16


class ReasoningForwarder:
    """Listens on a free port of this machine, and forwards to the port of the program; use it in a `with` statement."""

    def __init__(self, port, token):
        self.target, self.token = port, token
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept_clients, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()

    def accept_clients(self):
        with suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                threading.Thread(target=self.serve_client, args=(client,), daemon=True).start()

    def serve_client(self, client):
        with suppress(OSError), client, socket.create_connection(("127.0.0.1", self.target)) as server:
            threading.Thread(target=self.forward_requests, args=(client, server), daemon=True).start()
            while block := server.recv(BLOCK):
                client.sendall(block)

    def forward_requests(self, client, server):
        with suppress(OSError, ValueError), client.makefile("rb") as requests:
            while head := requests.readline():
                lines = [head]
                while (line := requests.readline()).strip():
                    lines.append(line)
                length = next((int(line.split(b":")[1]) for line in lines if line.lower().startswith(b"content-length:")), 0)
                body = add_reason(requests.read(length))
                kept = [self.own_port(line) for line in lines if not line.lower().startswith(b"content-length:")]
                more = [f"Authorization: Bearer {self.token}\r\n".encode(), f"Content-Length: {len(body)}\r\n\r\n".encode()]
                server.sendall(b"".join([*kept, *more, body]))
            server.shutdown(socket.SHUT_WR)

    def own_port(self, line):
        """Returns a header with the program's port in the place of the forwarder's."""
        return line.replace(f":{self.port}".encode(), f":{self.target}".encode())


def add_reason(body):
    """Returns a request's body with a reason in the arguments of a call; any other body as it is."""
    with suppress(ValueError, AttributeError):
        message = json.loads(body)
        if message.get("method") == "tools/call":
            arguments = message["params"].get("arguments") or {}
            message["params"]["arguments"] = {"why": WHY, **arguments}
            return json.dumps(message).encode()
    return body
