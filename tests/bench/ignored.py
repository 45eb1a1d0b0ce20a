#!/usr/bin/env python3
"""What each setting of `[sandbox] ignored` costs and breaks.

    python3 tests/bench/ignored.py WHEREFORE

Pairs of commands as agents run them: one fills an ignored folder, the next needs what it left. Under each setting it is
told whether the second one goes well, and what is in the workspace afterwards without anybody's word. Then a command
writes 20,000 files to an ignored folder, beside the same command with no sandbox.
"""
import json, os, subprocess, sys, tempfile, time

PROGRAM = os.path.abspath(sys.argv[1])
SETTINGS = ["write", "session", "review"]
PAIRS = [
    ("a package, then require", "mkdir -p node_modules && cp -r dep node_modules/", "node -e 'require(\"dep\")'"),
    ("cargo build, then run", "cargo build --offline -q", "./target/debug/small"),
    ("make, then run", "make -s", "./build/tool"),
    ("venv, then python", "python3 -m venv --without-pip .venv", ".venv/bin/python -c 'print(1)'"),
    ("coverage, then a report", "mkdir -p coverage && echo 1 > coverage/data", "cat coverage/data"),
]
MANY = "mkdir -p out && seq 1 20000 | sed s,^,out/, | xargs touch"


def project(base, setting):
    for name in ("p/src", "p/dep", "config/wherefore", "run"):
        os.makedirs(f"{base}/{name}")
    files = {
        ".gitignore": "node_modules/\ntarget/\nbuild/\n.venv/\ncoverage/\nout/\n",
        "package.json": '{"name": "p", "version": "1.0.0"}',
        "dep/package.json": '{"name": "dep", "version": "1.0.0", "main": "index.js"}', "dep/index.js": "",
        "Cargo.toml": '[package]\nname = "small"\nversion = "0.1.0"\nedition = "2021"\n', "src/main.rs": "fn main() {}\n",
        "Makefile": "build/tool:\n\tmkdir -p build\n\tprintf '#!/bin/sh\\necho 1\\n' > build/tool\n\tchmod +x build/tool\n",
    }
    for name, text in files.items():
        with open(f"{base}/p/{name}", "w") as file:
            file.write(text)
    with open(f"{base}/config/wherefore/config.toml", "w") as file:
        file.write(f'[sandbox]\nignored = "{setting}"\n')
    env = {key: value for key, value in os.environ.items() if not key.startswith("XDG_")}
    env |= {"XDG_CONFIG_HOME": f"{base}/config", "XDG_STATE_HOME": f"{base}/state", "XDG_RUNTIME_DIR": f"{base}/run"}
    git = ["git", "-c", "user.name=p", "-c", "user.email=p@example.org"]
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "first"]):
        subprocess.run(git + arguments, cwd=f"{base}/p", env=env, check=True)
    return f"{base}/p", env


def call(folder, env, line):
    arguments = json.dumps({"line": line, "timeout_ms": 120000, "why": "Measure what a setting of ignored folders breaks"})
    ran = subprocess.run([PROGRAM, "call", "--policy", "hold", "terminal.run", arguments], cwd=folder, env=env,
                         capture_output=True, text=True)
    try:
        return json.loads(ran.stdout)
    except ValueError:
        return {"stderr": ran.stdout + ran.stderr}


def main():
    for setting in SETTINGS:
        for name, first, second in PAIRS:
            with tempfile.TemporaryDirectory() as base:
                folder, env = project(base, setting)
                before = set(os.listdir(folder))
                answers = [call(folder, env, line) for line in (first, second)]
                ends = [answer.get("exit_code", "refused: " + str(answer.get("stderr") or answer.get("error", {}).get("message")).strip()[-90:]) for answer in answers]
                made = sorted(set(os.listdir(folder)) - before - {".wherefore"})
                print(f"{setting:8} {name:26} {ends[0]} then {ends[1]}; in the workspace: {', '.join(made) or 'nothing'}", flush=True)
    for setting in SETTINGS[:2]:
        with tempfile.TemporaryDirectory() as base:
            folder, env = project(base, setting)
            call(folder, env, "true")
            begun = time.time()
            subprocess.run(["bash", "-c", MANY.replace("out", "target")], cwd=folder, check=True)
            plain = time.time() - begun
            begun = time.time()
            answer = call(folder, env, MANY)
            took = time.time() - begun
            if "duration_ms" not in answer:
                sys.exit(f"the command did not run: {answer}")
            print(f"{setting:8} 20,000 files: {took:.2f} s, {answer['duration_ms'] / 1000:.2f} s of it the command; "
                  f"{plain:.2f} s with no sandbox", flush=True)


main()
