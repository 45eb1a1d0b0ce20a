#!/usr/bin/env python3
"""What the export of calls costs, and whether another implementation of OTLP reads it.

    python3 -m pip install opentelemetry-proto && python3 tests/bench/telemetry.py WHEREFORE [CALLS]

Drives `wherefore mcp` through calls of fs_read: with no export, and with collectors that take spans, are dead, slow, answer
500, or hang. The spans are decoded with OpenTelemetry's own definitions.
"""
import http.server, json, os, socket, statistics, subprocess, sys, tempfile, threading, time

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

PROGRAM = os.path.abspath(sys.argv[1])
CALLS = int(sys.argv[2]) if len(sys.argv) > 2 else 2000


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


def run(manner):
    server, url = collector(manner) if manner else (None, None)
    with tempfile.TemporaryDirectory() as folder:
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
        serve = subprocess.Popen([PROGRAM, "serve", "--root", folder + "/work"], env=env, cwd=folder + "/work",
                                 stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        time.sleep(1)
        agent = subprocess.Popen([PROGRAM, "mcp"], env=env, cwd=folder + "/work", stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

        def ask(message):
            agent.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            agent.stdin.flush()
            while "id" in message:
                answer = json.loads(agent.stdout.readline())
                if answer.get("id") == message["id"]:
                    return answer

        ask({"id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {},
             "clientInfo": {"name": "bench", "version": "1"}}})
        ask({"method": "notifications/initialized"})
        times = []
        for number in range(1, CALLS + 201):
            params = {"name": "fs_read", "arguments": {"path": "a.txt", "why": "Learn how long a call of this tool takes"}}
            begun = time.perf_counter()
            answer = ask({"id": number, "method": "tools/call", "params": params})
            if number > 200:
                times.append(time.perf_counter() - begun)
            assert not answer["result"].get("isError"), answer
        agent.stdin.close()
        agent.wait(10)
        begun = time.perf_counter()
        serve.terminate()
        serve.wait(20)
        ended = time.perf_counter() - begun
    spans = list(server.spans) if server else []
    if manner == "takes":
        calls = [s for s in spans if s.name == "execute_tool fs.read"]
        assert len(calls) == CALLS + 200, len(calls)
        keys = {a.key: a.value.string_value for a in calls[0].attributes}
        assert keys["gen_ai.operation.name"] == "execute_tool" and keys["gen_ai.agent.name"] == "bench", keys
        assert keys["wherefore.why"].startswith("Learn how long"), keys
        assert len({bytes(s.trace_id) for s in spans}) == 1 and len({bytes(s.span_id) for s in spans}) == len(spans)
        assert all(0 < s.start_time_unix_nano <= s.end_time_unix_nano for s in spans)
    return statistics.median(times) * 1e6, statistics.quantiles(times, n=100)[94] * 1e6, ended, len(spans)


for _ in range(int(os.environ.get("ROUNDS", "1"))):
    for manner in (None, "takes", "dead", "slow", "500", "hangs", None):
        p50, p95, ended, spans = run(manner)
        print(f"{manner or 'no export':>10}: p50 {p50:7.1f} us  p95 {p95:7.1f} us  end {ended:5.2f} s  spans {spans}", flush=True)
