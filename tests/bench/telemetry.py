#!/usr/bin/env python3
"""What the export of calls costs, and whether another implementation of OTLP reads it.

    python3 -m pip install opentelemetry-proto && python3 tests/bench/telemetry.py WHEREFORE [CALLS]

Drives `wherefore mcp` through calls of fs_read. First two servers in turns, call by call: one without an export and another
without, which shows how far two of the same differ, then one without and one with. Then one after the other with no export, and with
collectors that take spans, are dead, slow, answer 500, or hang. The spans are decoded with OpenTelemetry's own definitions.
"""
import http.server, json, multiprocessing, os, random, socket, statistics, subprocess, sys, tempfile, threading, time

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

PROGRAM = os.path.abspath(sys.argv[1])
CALLS = int(sys.argv[2]) if len(sys.argv) > 2 else 2000
WARMED = 200


class Collector(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        manner = self.server.manner
        if manner == "hangs":
            time.sleep(3600)
        if manner == "slow":
            time.sleep(3)
        if manner in ("takes", "slow"):
            request = ExportTraceServiceRequest()
            request.ParseFromString(body)
            self.server.spans += [s for r in request.resource_spans for c in r.scope_spans for s in c.spans]
            self.server.resources += [r.resource for r in request.resource_spans]
        self.send_response(500 if manner == "500" else 200)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def collector(manner):
    if manner == "dead":
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            return None, f"http://127.0.0.1:{probe.getsockname()[1]}"
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    server.daemon_threads = True
    server.manner, server.spans, server.resources = manner, [], []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, f"http://127.0.0.1:{server.server_address[1]}"


class Place:
    """A server of a folder, and an agent that calls it by MCP."""

    def __init__(self, folder, url):
        for name in ("work", "work/.git", "config/wherefore", "run", "state", "home"):
            os.makedirs(os.path.join(folder, name))
        with open(os.path.join(folder, "work/a.txt"), "w") as file:
            file.write("line\n" * 800)
        if url:
            with open(os.path.join(folder, "config/wherefore/config.toml"), "w") as file:
                file.write(f'[telemetry]\nendpoint = "{url}"\n')
        env = {k: v for k, v in os.environ.items() if not k.startswith("XDG_")}
        env |= {"HOME": folder + "/home", "XDG_CONFIG_HOME": folder + "/config", "XDG_STATE_HOME": folder + "/state",
                "XDG_RUNTIME_DIR": folder + "/run"}
        self.serve = subprocess.Popen([PROGRAM, "serve", "--root", folder + "/work"], env=env, cwd=folder + "/work",
                                      stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        time.sleep(1)
        self.agent = subprocess.Popen([PROGRAM, "mcp"], env=env, cwd=folder + "/work", stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.number = 0
        self.ask({"id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {},
                  "clientInfo": {"name": "bench", "version": "1"}}})
        self.ask({"method": "notifications/initialized"})
        for _ in range(WARMED):
            self.call()

    def ask(self, message):
        self.agent.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.agent.stdin.flush()
        while "id" in message:
            answer = json.loads(self.agent.stdout.readline())
            if answer.get("id") == message["id"]:
                return answer

    def call(self):
        """One call, in seconds."""
        self.number += 1
        params = {"name": "fs_read", "arguments": {"path": "a.txt", "why": "Learn how long a call of this tool takes"}}
        begun = time.perf_counter()
        answer = self.ask({"id": self.number, "method": "tools/call", "params": params})
        took = time.perf_counter() - begun
        assert not answer["result"].get("isError"), answer
        return took

    def end(self):
        """Ends both; how long the server takes to end, in seconds."""
        self.agent.stdin.close()
        self.agent.wait(10)
        begun = time.perf_counter()
        self.serve.terminate()
        self.serve.wait(20)
        return time.perf_counter() - begun


def run(manner):
    server, url = collector(manner) if manner else (None, None)
    with tempfile.TemporaryDirectory() as folder:
        place = Place(folder, url)
        times = [place.call() for _ in range(CALLS)]
        ended = place.end()
    spans = list(server.spans) if server else []
    if manner == "takes":
        calls = [s for s in spans if s.name == "execute_tool fs.read"]
        assert len(calls) == CALLS + WARMED, len(calls)
        keys = {a.key: a.value.string_value for a in calls[0].attributes}
        assert keys["gen_ai.operation.name"] == "execute_tool" and keys["gen_ai.agent.name"] == "bench", keys
        assert keys["wherefore.why"].startswith("Learn how long"), keys
        assert len({bytes(s.trace_id) for s in spans}) == 1 and len({bytes(s.span_id) for s in spans}) == len(spans)
        assert all(0 < s.start_time_unix_nano <= s.end_time_unix_nano for s in spans)
    return statistics.median(times) * 1e6, statistics.quantiles(times, n=100)[94] * 1e6, ended, len(spans)


def collect(pipe):
    """A collector in a process of its own, so that it does not hold the client up."""
    server, url = collector("takes")
    pipe.send(url)
    pipe.recv()
    pipe.send(len(server.spans))


def side_by_side(exports):
    """Calls of two servers in turns, the first without the export: how much longer a call of the second takes, in percent, with
    the middle 95 of 100 of what other samples of the same calls would have said, and the spans that came."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=collect, args=(theirs,), daemon=True)
    process.start()
    url = ours.recv()
    with tempfile.TemporaryDirectory() as folder:
        places = [Place(folder + "/a", None), Place(folder + "/b", url if exports else None)]
        turns = []
        for _ in range(CALLS * 10):
            first = random.randrange(2)
            took = {first: places[first].call()}
            took[1 - first] = places[1 - first].call()
            turns.append((took[0], took[1]))
        for place in places:
            place.end()
    ours.send(None)
    spans = ours.recv()
    process.join(10)

    def more(sample):
        without, with_it = zip(*sample)
        return (statistics.median(with_it) / statistics.median(without) - 1) * 100

    drawn = sorted(more(random.choices(turns, k=len(turns))) for _ in range(400))
    return more(turns), drawn[10], drawn[-11], spans


def main():
    seen = {False: [], True: []}
    for exports in (False, True) * 5:
        middle, low, high, spans = side_by_side(exports)
        seen[exports].append(middle)
        print(f"{'an export' if exports else 'nothing':>10}: a call takes {middle:+.2f} % ({low:+.2f} to {high:+.2f}), {spans} spans",
              flush=True)
    for exports, name in ((False, "nothing"), (True, "an export")):
        middle = statistics.median(seen[exports])
        print(f"{name:>10}: {middle:+.2f} % in the middle of {len(seen[exports])} pairs of servers", flush=True)
    for manner in (None, "takes", "dead", "slow", "500", "hangs", None):
        p50, p95, ended, spans = run(manner)
        print(f"{manner or 'no export':>10}: p50 {p50:7.1f} us  p95 {p95:7.1f} us  end {ended:5.2f} s  spans {spans}", flush=True)


if __name__ == "__main__":
    main()
