"""A server of a model that plays answers over OpenAI's interface: lists of calls, one list a step."""

import http.server
import json
import threading


class Player:
    """Serves on loopback. `answers` is called with the messages of a request, and gives the text and the calls."""

    def __init__(self, answers):
        self.asked = []
        player = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                self.answer(404, b"{}")

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                player.asked.append(body)
                text, calls = answers(body["messages"])
                events = [{"content": text}]
                for at, (name, arguments) in enumerate(calls):
                    function = {"name": name, "arguments": json.dumps(arguments)}
                    events.append({"tool_calls": [{"index": at, "id": f"c{len(player.asked)}-{at}", "function": function}]})
                lines = [{"model": "played", "choices": [{"index": 0, "delta": delta}]} for delta in events]
                lines.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls" if calls else "stop"}],
                              "usage": {"prompt_tokens": 100, "completion_tokens": 10}})
                data = "".join(f"data: {json.dumps(line)}\n\n" for line in lines) + "data: [DONE]\n\n"
                self.answer(200, data.encode(), "text/event-stream")

            def answer(self, status, data, kind="application/json"):
                self.send_response(status)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1#played"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def steps(lists):
    """Plays each list once, by how many answers the conversation has; the last one again and again."""
    def answers(messages):
        done = sum(message["role"] == "assistant" for message in messages)
        return "", lists[min(done, len(lists) - 1)]
    return answers
