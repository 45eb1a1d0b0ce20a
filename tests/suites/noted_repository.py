"""A repository whose commits carry notes, worked in by an agent and a person, and the model of who wrote each line.

Each line of the repository is unlike any other, so the model is a set: the lines that the agent wrote. A line that is gone from
the files stays in it, since git can bring it back.
"""

import json
import os
import shutil
import subprocess
import time

FILES = ("a.txt", "b/c.txt")
# Seconds that a commit's note may take to be written: it is made behind git's back.
NOTE_LIMIT = 20
EDITOR = {"GIT_EDITOR": "true", "GIT_SEQUENCE_EDITOR": "true"}


class NotedRepository:
    """The repository in a workspace. `random` decides on all that is left to chance."""

    def __init__(self, workspace, random):
        self.workspace, self.random = workspace, random
        self.root = workspace.root
        self.agent_lines, self.count, self.steps = set(), 0, []
        self.env = {**workspace.env, **EDITOR, "GIT_AUTHOR_NAME": "p", "GIT_AUTHOR_EMAIL": "p@x", "GIT_COMMITTER_NAME": "p",
                    "GIT_COMMITTER_EMAIL": "p@x"}
        self.git("init", "-q", "-b", "main")
        for name in FILES:
            self.write_lines(name, [self.make_line("person") for _ in range(12)])
        self.git("add", "-A")
        self.git("commit", "-qm", "base")
        self.must(workspace.run("init", "--git", "--yes"))

    def git(self, *words, env=None, fails=False):
        """Runs git; returns what it wrote. An error is one of the runner's, but where `fails` says that it may fail: then None."""
        ran = subprocess.run(["git", *words], cwd=self.root, env={**self.env, **(env or {})}, capture_output=True, text=True, timeout=60)
        return None if fails and ran.returncode else self.must(ran)

    def must(self, ran):
        """Returns the output of a process that ended well."""
        if ran.returncode:
            raise RuntimeError(f"{ran.args}: {ran.stdout}{ran.stderr} after {self.steps}")
        return ran.stdout

    def make_line(self, author):
        """Makes a line that no file has, and that is like none; the model keeps it if the agent wrote it."""
        self.count += 1
        line = f"{self.random.getrandbits(96):024x} {self.count}"
        if author == "agent":
            self.agent_lines.add(line)
        return line

    def read_lines(self, name):
        return (self.root / name).read_text().splitlines()

    def write_lines(self, name, lines):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in lines))

    def edit(self, author, name=None, spot=None):
        """Inserts, replaces or deletes up to three lines of a file, as the author."""
        name = name or self.random.choice(FILES)
        lines = self.read_lines(name)
        at = self.random.randrange(len(lines) + 1) if spot is None else spot
        gone = self.random.choice((0, 0, 1, 2)) if len(lines) > 6 else 0
        new = [self.make_line(author) for _ in range(self.random.choice((1, 2, 3)))]
        lines[at:at + gone] = new
        self.steps.append(f"{author} edits {name}:{at} -{gone} +{len(new)}")
        if author == "person":
            self.write_lines(name, lines)
            return
        arguments = {"path": name, "content": "".join(f"{line}\n" for line in lines), "why": f"Write line {self.count}"}
        answer = self.workspace.call_tool("fs.write", arguments)
        if answer.get("status") not in ("applied", "unchanged"):
            raise RuntimeError(f"the agent could not write: {answer} after {self.steps}")

    def commit(self, *words):
        """Commits all changes, and waits for the note."""
        self.steps.append(f"commit {' '.join(words)}".strip())
        self.git("commit", "-qam", f"work {self.count}", "--allow-empty", *words)
        self.wait_for_notes()

    def wait_for_notes(self):
        """Waits until no process of the program works in the repository, by the lock that it holds while it writes notes."""
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

    def check_lines(self):
        """Compares what a clone with the notes says of each line of HEAD with the model.

        Returns the lines that the agent is wrongly said to have written, and those of the agent's that are not said to be.
        """
        clone = self.workspace.home / "clone"
        shutil.rmtree(clone, ignore_errors=True)
        self.git("clone", "-q", str(self.root), str(clone))
        self.git("-C", str(clone), "fetch", "-q", "origin", "refs/notes/wherefore:refs/notes/wherefore", fails=True)
        credited, missed = [], []
        for name in FILES:
            ran = subprocess.run([self.workspace.program.path, "why", "--root", str(clone), name, "--json"], cwd=clone, env=self.env,
                                 capture_output=True, text=True, timeout=60)
            said = json.loads(self.must(ran) or "[]")
            lines = (clone / name).read_text().splitlines()
            for row in said:
                line = lines[row["line"] - 1]
                is_agent = row["by"] == "agent"
                if is_agent and line not in self.agent_lines:
                    credited.append(line)
                if not is_agent and line in self.agent_lines:
                    missed.append(line)
        return credited, missed
