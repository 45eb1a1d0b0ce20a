"""What the loop adds to a model's own time: python3 speed.py WHEREFORE [--steps N] [--agents N]

A played model answers at once, over OpenAI's interface on loopback. Measured on its side: the time from the last byte of an answer to
the next request, in which the answer is read, its calls (`fs_read` of a small file) are made and logged, and the next request is built
and sent. Measured at the other end: the time from the first word's way into the socket to its line at `wherefore agent --json`.
"""

import argparse
import http.server
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True


class Timed:
    """A played model. Each conversation has `steps` answers with a call, then one that completes the task."""

    def __init__(self, steps, pause=0.0):
        self.gaps, self.firsts, self.lock = [], [], threading.Lock()
        timed = self
        ended, counts = {}, {}

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                self.send_response(404)
                self.send_header("content-length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def do_POST(self):
                came = time.perf_counter()
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                messages = body["messages"]
                # The person's words tell which run it is.
                run = next(message["content"] for message in messages if message["role"] == "user").split("\n")[0]
                with timed.lock:
                    done = counts.get(run, 0)
                    counts[run] = done + 1
                    if run in ended:
                        timed.gaps.append(came - ended[run])
                self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.send_response(200)
                self.send_header("content-type", "text/event-stream")
                self.send_header("connection", "close")
                self.end_headers()
                self.wfile.flush()
                name, arguments = ("fs_read", {"path": f"f{done % 50}.txt", "why": f"Learn what stands in part {done}"})
                if done >= steps:
                    name, arguments = ("task_complete", {"summary": "Done.", "why": "All of it was read"})
                with timed.lock:
                    timed.firsts.append(time.monotonic())
                self.event({"content": f"word-{done} "})
                time.sleep(pause)
                function = {"name": name, "arguments": json.dumps(arguments)}
                self.event({"tool_calls": [{"index": 0, "id": f"c{done}", "function": function}]})
                self.event({}, "tool_calls")
                self.wfile.write(b"data: [DONE]\n\n")
                self.wfile.flush()
                with timed.lock:
                    ended[run] = time.perf_counter()
                self.close_connection = True

            def event(self, delta, reason=None):
                choice = {"index": 0, "delta": delta, "finish_reason": reason}
                self.wfile.write(f"data: {json.dumps({'model': 'timed', 'choices': [choice]})}\n\n".encode())
                self.wfile.flush()

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1#timed"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


class Scene:
    """A folder with small files, and a home of its own."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="wherefore-speed-")
        self.work = os.path.join(self.folder, "work")
        for name in ["work", "work/.git", "home", "run"]:
            os.mkdir(os.path.join(self.folder, name), 0o700)
        for number in range(50):
            with open(os.path.join(self.work, f"f{number}.txt"), "w", encoding="utf-8") as file:
                file.write(f"part {number}\n" * 20)

    def agent(self, program, task, url, steps):
        kept = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
        environment = {**kept, "HOME": os.path.join(self.folder, "home"), "XDG_RUNTIME_DIR": os.path.join(self.folder, "run")}
        args = [program, "agent", task, "--model", url, "--json", "--max-steps", str(steps + 5)]
        return subprocess.Popen(args, cwd=self.work, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)


def told(what, seconds):
    times = sorted(1000 * second for second in seconds)
    print(f"| {what} | {statistics.median(times):.2f} | {times[int(len(times) * 0.95)]:.2f} | {len(times)} |", flush=True)


def alone(program, steps):
    timed, scene = Timed(steps), Scene()
    scene.agent(program, "Task 0: read all of it", timed.url, steps).communicate(timeout=600)
    told("the loop, a step", timed.gaps)
    scene.close()


def first_word(program, steps):
    # With a pause, so that what comes later does not hold it up.
    timed, scene = Timed(steps, 0.05), Scene()
    process = scene.agent(program, "Task 0: read all of it", timed.url, steps)
    came = [time.monotonic() for line in process.stdout if '"kind":"text"' in line]
    process.wait(timeout=600)
    told("first word, from the model's socket to the client's line", [b - a for a, b in zip(timed.firsts, came)])
    scene.close()


def together(program, steps, agents):
    timed, scene = Timed(steps), Scene()
    began = time.perf_counter()
    runs = [scene.agent(program, f"Task {number}: read all of it", timed.url, steps) for number in range(agents)]
    ends = [run.communicate(timeout=900)[0] for run in runs]
    took = time.perf_counter() - began
    complete = sum('"end":"complete"' in end for end in ends)
    told(f"the loop, a step, {agents} agents at once in one server ({complete} complete)", timed.gaps)
    print(f"| steps a second, {agents} agents at once | {len(timed.gaps) / took:.0f} | | |")
    scene.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--agents", type=int, default=10)
    args = parser.parse_args()
    program = shutil.which(args.program) or os.path.abspath(args.program)
    print("| | p50, ms | p95, ms | seen |\n|---|---|---|---|")
    alone(program, args.steps)
    first_word(program, min(args.steps, 50))
    together(program, min(args.steps, 40), args.agents)


if __name__ == "__main__":
    main()
