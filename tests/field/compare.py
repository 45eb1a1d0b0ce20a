"""How a command goes, outside and in the sandbox: exit codes, words, changed files, the state of git."""

import hashlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

SHOWN = {"PAGER": "cat", "NO_COLOR": "1", "TERM": "dumb", "GIT_PAGER": "cat"}
# Caches, whose files are not compared.
CACHES = {"__pycache__", ".turbo", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".git", ".wherefore", ".vite", ".vite-temp", ".cache"}
# Folders of builds, of which only counts whether they are there.
BUILDS = {"target", ".next", "coverage", "build", "node_modules", ".venv", ".venv2"}
ARCHIVES = {".zip", ".gz", ".tgz", ".tar"}
LIMIT = 120


class Went:
    """How the steps of a command went: an exit code and an output each, and what stands there afterwards."""

    def __init__(self):
        self.codes, self.outputs, self.errors = [], [], []
        self.asked = None
        self.state = {}


def bring(box, template):
    shutil.rmtree(box, ignore_errors=True)
    subprocess.run(["cp", "-a", "--reflink=auto", template, box], check=True)


def prepare(command, at, env):
    for line in command.before:
        subprocess.run(["bash", "-c", line], cwd=at, env=env, capture_output=True)


def state(at, env):
    """The files of a project with their modes, and the state of its repository."""
    found = {}
    for folder, folders, files in os.walk(at):
        below = Path(folder).relative_to(at)
        for name in list(folders):
            path = Path(folder) / name
            if name in CACHES or name in BUILDS or name.endswith(".egg-info"):
                folders.remove(name)
                if name in BUILDS and path.is_dir() and any(path.iterdir()):
                    found[str(below / name)] = "there"
            elif path.is_symlink():
                found[str(below / name)] = f"link to {os.readlink(path)}"
            else:
                found[str(below / name)] = f"folder"
        for name in files:
            path = Path(folder) / name
            if path.is_symlink():
                found[str(below / name)] = f"link to {os.readlink(path)}"
            elif path.suffix in ARCHIVES:
                # They hold times.
                found[str(below / name)] = "an archive"
            elif path.is_file() and name != ".coverage":
                mode = path.stat().st_mode & 0o7777
                found[str(below / name)] = f"{mode:o} {hashlib.sha256(path.read_bytes()).hexdigest()[:12]}"
    for question in ("status --porcelain", "log --all --format=%s%x20%an%x20%D", "stash list --format=%gs", "ls-files -s", "worktree list",
                     "config --local --list"):
        ran = subprocess.run(["git", *question.split()], cwd=at, env=env, capture_output=True, text=True)
        # The folder of an embedded repository, or one that is not there, says so.
        # The hash of a commit that was made just now holds the time.
        found[f"git {question}"] = re.sub(r" [0-9a-f]{7,} ", " HASH ", ran.stdout) if question == "worktree list" else ran.stdout
    return found


def await_port(line):
    """Waits until something listens on the port that a command line names, and a moment where it names none."""
    named = re.search(r"\b(\d{4,5})\b", line)
    for _ in range(100 if named else 0):
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", int(named[1]))) == 0:
                return
        time.sleep(0.2)
    time.sleep(1.5)


class Outside:
    """Runs commands in the person's shell."""

    def __init__(self, person, at):
        self.person, self.box, self.root = person, at / "box", at / "box" / "p"

    def run(self, command, template):
        bring(self.box, template)
        env = {**self.person.variables(command.env, self.root), **SHOWN}
        prepare(command, self.root, env)
        went, background = Went(), []
        for step in command.steps:
            words = step.get("cmd") or ["bash", "-c", step["line"]]
            if step.get("background"):
                background.append(subprocess.Popen(words, cwd=self.root, env=env, stdout=subprocess.DEVNULL,
                                                   stderr=subprocess.DEVNULL, start_new_session=True))
                await_port(" ".join(words))
                continue
            process = subprocess.Popen(words, cwd=self.root, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, start_new_session=True)
            background.append(process)
            try:
                output, errors = process.communicate(timeout=LIMIT)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                output, errors = process.communicate()
            code = process.returncode
            went.codes.append(code)
            went.outputs.append(output.decode(errors="replace"))
            went.errors.append(errors.decode(errors="replace"))
        for process in background:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
        went.state = state(self.root, env)
        self.clean()
        return went

    def clean(self):
        """Takes away what commands leave in the temporary folder."""
        for left in [*Path("/tmp").glob("field-*"), *Path("/dev/shm").glob("field-*"), self.person.home / ".cache/field"]:
            shutil.rmtree(left, ignore_errors=True) if left.is_dir() else left.unlink(missing_ok=True)


class Sandboxed:
    """Runs commands as an agent does: by terminal.run of a server without an editor, with the policy `auto`."""

    def __init__(self, person, at, program):
        self.person, self.box, self.root, self.program = person, at / "box", at / "box" / "p", program
        self.state = at / "state"

    def run(self, command, template):
        bring(self.box, template)
        shutil.rmtree(self.state, ignore_errors=True)
        own = {f"XDG_{name}": str(self.state / name) for name in ("STATE_HOME", "CONFIG_HOME", "CACHE_HOME", "RUNTIME_DIR")}
        (self.state / "RUNTIME_DIR").mkdir(parents=True)
        (self.state / "RUNTIME_DIR").chmod(0o700)
        env = self.person.variables(command.env, self.root)
        prepare(command, self.root, {**env, **SHOWN})
        env |= own | {"XDG_CONFIG_HOME": str(self.person.home / ".config")}
        server = subprocess.Popen([self.program, "serve", "--root", self.root, "--linger", "30"], env=env, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=self.root)
        # Its first line says that it is ready. A call that finds no server does the work itself, and ends what it started.
        server.stdout.readline()
        went = Went()
        try:
            for step in command.steps:
                call = {**step, "why": "See that a usual command goes as it goes outside", "timeout_ms": LIMIT * 1000}
                ran = subprocess.run(
                    [self.program, "call", "--root", self.root, "--policy", "auto", "terminal.run", "-"], env=env, cwd=self.root,
                    input=json.dumps(call).encode(), capture_output=True, timeout=LIMIT + 130)
                if step.get("background"):
                    self.await_ports(env, sum(1 for known in command.steps[: command.steps.index(step) + 1] if known.get("background")))
                try:
                    result = json.loads(ran.stdout)
                except ValueError:
                    went.asked = (ran.stderr or ran.stdout).decode(errors="replace").strip()
                    break
                if "code" in result and "exit_code" not in result:
                    went.asked = f"{result['code']}: {result.get('message')}"
                    break
                if step.get("background"):
                    continue
                code = result.get("exit_code")
                went.codes.append(-1 if code is None else code)
                went.outputs.append(result.get("stdout", ""))
                errors = [result.get("stderr", ""), *result.get("left_out", [])]
                went.errors.append("\n".join(text for text in errors if text))
        finally:
            server.send_signal(signal.SIGTERM)
            try:
                server.wait(10)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()
        went.state = state(self.root, {**env, **SHOWN})
        Outside.clean(self)
        return went

    def await_ports(self, env, wanted):
        """Waits until so many commands in the background listen, or none is going to."""
        for _ in range(60):
            ran = subprocess.run([self.program, "call", "--root", self.root, "process.list", "-"], env=env, cwd=self.root,
                                 input=b'{"why": "Wait until the servers listen"}', capture_output=True, timeout=60)
            if ran.stdout.count(b'"ports"') >= wanted:
                return
            time.sleep(0.2)


def plain(text):
    """A text without times, durations, hashes of commits and what else differs from run to run."""
    text = re.sub(r"\b\d+([.:]\d+)*\s?(ms|s|sec|seconds|µs|usec)\b", "TIME", text)
    text = re.sub(r"\d{2}:\d{2}:\d{2}", "TIME", text)
    # The hash of a commit that was made just now holds the time; two runs in one second have the same.
    text = re.sub(r"\b(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b", "HASH", text)
    return re.sub(r"[ \t]+", " ", text).strip()


def steady(one, other):
    return [plain(text) for text in one.outputs] == [plain(text) for text in other.outputs]


def difference(there, inside):
    """What differs, in a word and a sentence; nothing where all is the same."""
    if inside.asked is not None:
        return "asked", inside.asked.replace("\n", " ")[:200]
    for step, (out, into) in enumerate(zip(there.codes, inside.codes)):
        if out != into:
            tail = (inside.errors[step] or inside.outputs[step]).strip().replace("\n", " ⏎ ")[-250:]
            return "exit code", f"{into}, outside {out} (step {step + 1}): {tail}"
    changed = [name for name in sorted(there.state.keys() | inside.state.keys()) if there.state.get(name) != inside.state.get(name)]
    if changed:
        name = changed[0]
        return "state", f"{name}: {str(inside.state.get(name))[-120:]!r}, outside {str(there.state.get(name))[-120:]!r} ({len(changed)} differ); {' '.join(inside.errors)[-160:]!r}"
    for out, into in zip(there.outputs, inside.outputs):
        if plain(out) != plain(into):
            return "words", f"{plain(into)[-120:]!r}, outside {plain(out)[-120:]!r}"
    return None
