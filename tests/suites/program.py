"""The program under test, run apart from the person's own settings and state."""

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

CALL_LIMIT = 120
# Folders that the program and git make.
OWN_FOLDERS = {".wherefore", ".git"}


class Program:
    """The program at a path."""

    def __init__(self, path):
        self.path = path

    def make_workspace(self, files=None, below=None):
        """Makes a workspace with the given files (path to text or bytes); use it in a `with` statement.

        It stands below a folder, or in the temporary one.
        """
        return Workspace(self, files or {}, below)


class Workspace:
    """A folder for calls, with a home and state folders of its own. It is removed at the end of a `with` statement."""

    def __init__(self, program, files, below=None):
        self.program = program
        self.home = Path(tempfile.mkdtemp(prefix="suite-", dir=below))
        self.root = self.home / "ws"
        self.root.mkdir()
        self.write_files(files)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.home, ignore_errors=True)

    @property
    def env(self):
        """The variables of every run: nothing of the person's is read or written."""
        own = {f"XDG_{name}": str(self.home / name.lower()) for name in ("RUNTIME_DIR", "STATE_HOME", "CONFIG_HOME", "CACHE_HOME")}
        runtime = Path(own["XDG_RUNTIME_DIR"])
        if not runtime.exists():
            runtime.mkdir(mode=0o700)
        return {**os.environ, "HOME": str(self.home), "GIT_CONFIG_NOSYSTEM": "1", "NO_COLOR": "1", **own}

    def write_files(self, files):
        for name, content in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def read_files(self):
        """Returns the bytes of every file by its path."""
        found = {}
        for folder, folders, files in os.walk(self.root):
            folders[:] = [name for name in folders if name not in OWN_FOLDERS]
            for name in files:
                path = Path(folder) / name
                found[str(path.relative_to(self.root))] = path.read_bytes()
        return found

    def run(self, *words, sent="", limit=CALL_LIMIT):
        """Runs the program in the workspace; returns the finished process, its output as text."""
        return subprocess.run([self.program.path, *words], cwd=self.root, env=self.env, input=sent, capture_output=True,
                              text=True, errors="replace", timeout=limit)

    def call_tool(self, tool, arguments, policy="auto"):
        """Calls a tool; returns the parsed result, or `{"code": …, "message": …}` of a refusal."""
        ran = self.run("call", "--root", str(self.root), "--policy", policy, tool, "-", sent=json.dumps(arguments))
        try:
            return json.loads(ran.stdout or ran.stderr)
        except ValueError:
            return {"code": f"exit {ran.returncode}", "message": (ran.stdout + ran.stderr).strip()[-400:]}
