#!/usr/bin/env python3
"""Whether the memory of a server grows with the calls that it answers.

    python3 tests/bench/memory.py WHEREFORE [CALLS [SESSIONS]]

Several agents call one server by MCP, each over a connection of its own: fs.read, search.lexical, fs.edit with the policy
auto, and now and then terminal.run. Each calls in a loop; a part of them leaves and comes back. Every 10,000 calls the
resident memory is printed, and the part of it that is heap.
"""
import json, os, random, subprocess, sys, tempfile, threading, time

PROGRAM = os.path.abspath(sys.argv[1])
CALLS = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
SESSIONS = int(sys.argv[3]) if len(sys.argv) > 3 else 20
FILES = 200
EACH = int(os.environ.get("EVERY", "10000"))
# A call of each tool in its share of a hundred.
SHARES = json.loads(os.environ.get("SHARES", '{"fs_read": 48, "search_lexical": 25, "fs_edit": 26, "terminal_run": 1}'))


class Agent:
    """An agent's connection."""

    def __init__(self, number, folder, env):
        self.number, self.id, self.random = number, 0, random.Random(number)
        self.process = subprocess.Popen([PROGRAM, "mcp", "--root", folder], env=env, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                                "clientInfo": {"name": f"agent-{number}", "version": "1"}})
        self.send({"method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        self.id += 1
        self.send({"id": self.id, "method": method, "params": params})
        while True:
            answer = json.loads(self.process.stdout.readline())
            if answer.get("id") == self.id and "method" not in answer:
                return answer["result"]

    def call(self):
        tool = self.random.choices(list(SHARES), list(SHARES.values()))[0]
        path = f"src/f{self.random.randrange(FILES)}.txt"
        line = self.random.randrange(100)
        arguments = {
            "fs_read": {"path": path},
            "search_lexical": {"query": f"value {line} "},
            "fs_edit": {"path": path, "find": f"line {line} ", "replace": f"line {line} {self.id} "},
            "terminal_run": {"cmd": ["true"]},
        }[tool]
        if tool == "fs_edit" and self.id % 2:
            # Each edit that makes a line longer is followed by one that makes it short again.
            arguments = {"path": path, "find": rf"line {line} .*", "replace": f"line {line} value {line} end", "regex": True}
        answer = self.ask("tools/call", {"name": tool, "arguments": {
            **arguments, "why": f"Measure how the memory of a server grows, step {self.id} of agent {self.number}"}})
        return not answer.get("isError")

    def end(self):
        self.process.stdin.close()
        self.process.wait(20)


def resident(process):
    with open(f"/proc/{process}/status") as status:
        found = {line.split(":")[0]: line.split()[1] for line in status if line.startswith(("VmRSS", "RssAnon", "Threads"))}
    return int(found["VmRSS"]) / 1024, int(found["RssAnon"]) / 1024, found["Threads"]


def main():
    with tempfile.TemporaryDirectory() as base:
        for name in ("project/src", "project/.git", "config/wherefore", "run", "state", "cache", "home"):
            os.makedirs(f"{base}/{name}")
        for number in range(FILES):
            with open(f"{base}/project/src/f{number}.txt", "w") as file:
                file.write("".join(f"line {line} value {line} end\n" for line in range(100)))
        with open(f"{base}/config/wherefore/config.toml", "w") as file:
            file.write('[review]\npolicy = "auto"\n')
        env = {k: v for k, v in os.environ.items() if not k.startswith("XDG_")}
        env |= {"HOME": f"{base}/home", "XDG_CONFIG_HOME": f"{base}/config", "XDG_STATE_HOME": f"{base}/state",
                "XDG_RUNTIME_DIR": f"{base}/run", "XDG_CACHE_HOME": f"{base}/cache"}
        errors = open(f"{base}/errors", "w")
        server = subprocess.Popen([PROGRAM, "serve", "--root", f"{base}/project"], env=env, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=errors)
        time.sleep(2)
        lock, done, failed = threading.Lock(), [0], [0]

        def work(number):
            agent = Agent(number, f"{base}/project", env)
            while True:
                good = agent.call()
                with lock:
                    done[0] += 1
                    failed[0] += not good
                    if done[0] % EACH == 0:
                        all, heap, threads = resident(server.pid)
                        print(f"{done[0]:>8} calls  {all:7.1f} MB  {heap:7.1f} MB heap  {threads} threads  "
                              f"{failed[0]} failed", flush=True)
                    if done[0] >= CALLS:
                        break
                if agent.id % 500 == 0 and number % 4 == 0:
                    agent.end()
                    agent = Agent(number, f"{base}/project", env)
            agent.end()

        all, heap, threads = resident(server.pid)
        print(f"{0:>8} calls  {all:7.1f} MB  {heap:7.1f} MB heap  {threads} threads")
        workers = [threading.Thread(target=work, args=(number,)) for number in range(SESSIONS)]
        [worker.start() for worker in workers]
        [worker.join() for worker in workers]
        server.terminate()
        server.wait(30)


main()
