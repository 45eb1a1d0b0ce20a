"""A repository of a workspace in which git's hooks write notes, and what the notes say in a clone."""

import json
import os
import shutil
import subprocess
import time

# Seconds that a commit's note may take to be written: it is made behind git's back.
NOTE_LIMIT = 20
PERSON = {f"GIT_{role}_{part}": value for role in ("AUTHOR", "COMMITTER") for part, value in (("NAME", "p"), ("EMAIL", "p@x"))}
EDITOR = {"GIT_EDITOR": "true", "GIT_SEQUENCE_EDITOR": "true"}


class HookedRepository:
    """The repository, empty at first."""

    def __init__(self, workspace):
        self.workspace, self.root = workspace, workspace.root
        self.env = {**workspace.env, **EDITOR, **PERSON}
        self.git("init", "-q", "-b", "main")

    def add_hooks(self):
        self.must(self.workspace.run("init", "--git", "--yes"))

    def git(self, *words, env=None, fails=False):
        """Runs git; returns what it wrote. An error is one of the runner's, but where `fails` says that it may fail: then None."""
        ran = subprocess.run(["git", *words], cwd=self.root, env={**self.env, **(env or {})}, capture_output=True, text=True, timeout=60)
        return None if fails and ran.returncode else self.must(ran)

    def must(self, ran):
        """Returns the output of a process that ended well."""
        if ran.returncode:
            raise RuntimeError(f"{ran.args}: {ran.stdout}{ran.stderr}")
        return ran.stdout

    def write_as_agent(self, name, text, why):
        """Writes a file by a call of an agent's."""
        answer = self.workspace.call_tool("fs.write", {"path": name, "content": text, "why": why})
        if answer.get("status") not in ("applied", "unchanged"):
            raise RuntimeError(f"the agent could not write: {answer}")

    def wait_for_notes(self):
        """Waits until no process of the program works in the repository, by its folder."""
        until = time.monotonic() + NOTE_LIMIT
        while time.monotonic() < until and self.has_writer():
            time.sleep(0.05)

    def has_writer(self):
        """Returns whether a process of the program has this repository as its folder."""
        for entry in os.scandir("/proc"):
            if entry.name.isdigit():
                try:
                    program = os.path.basename(os.readlink(f"/proc/{entry.name}/exe"))
                    if program == "wherefore" and os.readlink(f"/proc/{entry.name}/cwd").startswith(str(self.root)):
                        return True
                except OSError:
                    continue
        return False

    def clone_with_notes(self):
        """Returns the folder of a fresh clone that has the notes."""
        clone = self.workspace.home / "clone"
        shutil.rmtree(clone, ignore_errors=True)
        self.git("clone", "-q", str(self.root), str(clone))
        self.git("-C", str(clone), "fetch", "-q", "origin", "refs/notes/wherefore:refs/notes/wherefore", fails=True)
        return clone

    def list_authors(self, folder, name):
        """Returns what is said of each line of a file: a text and a word for its author."""
        ran = subprocess.run([self.workspace.program.path, "why", "--root", str(folder), name, "--json"], cwd=folder, env=self.env,
                             capture_output=True, text=True, timeout=60)
        lines = (folder / name).read_text().splitlines()
        return [(lines[row["line"] - 1], row["by"]) for row in json.loads(self.must(ran) or "[]")]
