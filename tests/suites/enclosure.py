"""A throwaway machine for commands that may do harm: copies of the system's folders, a network of its own, and what changed.

The program runs in namespaces whose file system is an overlay over the system's folders, so that nothing done in it reaches
this machine. No disk is there. Each address of the network is the machine itself. After each command the enclosure says what
the command did outside of the workspace: that is what a sandbox is to keep from happening.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from sources import SourceMissing

SELF = Path(__file__).resolve()
INSIDE = SELF.with_name("enclosed.py")
NEEDED = ("unshare", "mount", "umount", "pivot_root", "ip")


class Enclosure:
    """A running enclosure; use it in a `with` statement."""

    def __init__(self, program):
        self.program = program
        self.base = self.process = None

    def __enter__(self):
        missing = [name for name in NEEDED if not shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")]
        if missing:
            raise SourceMissing(f"needs {', '.join(missing)} to shut the commands in")
        self.base = tempfile.mkdtemp(prefix="enclosure-")
        command = ["unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork", "--kill-child", "--net", "--ipc", "--uts",
                   "--propagation", "private", sys.executable, "-B", INSIDE, self.base, self.program.path]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, "PATH": f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"})
        ready = self.read_answer()
        if ready.get("error"):
            self.__exit__()
            raise SourceMissing(f"commands cannot be shut in here: {ready['error']}")
        return self

    def __exit__(self, *_):
        # The first process of the namespace ends with its input, and everything in the namespace with it.
        self.process.stdin.close()
        self.process.wait()
        shutil.rmtree(self.base, ignore_errors=True)

    def read_answer(self):
        line = self.process.stdout.readline()
        return json.loads(line) if line else {"error": f"it ended with {self.process.wait()}"}

    def run(self, argv, sent="", limit=60, files=None):
        """Runs a program in a new workspace that holds the files; returns its `code`, its `output` and its `effects`.

        The effects are sentences, one for each thing that happened outside of the workspace. `{program}` in a word is the program
        under test, `{workspace}` the workspace, `{home}` the home folder.
        """
        request = {"argv": argv, "sent": sent, "limit": limit, "files": files or {}}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = self.read_answer()
        if answer.get("error"):
            raise RuntimeError(answer["error"])
        return answer

    def check_sandbox(self):
        """Raises `SourceMissing` unless the enclosure sees what is done in it, and the sandbox works in it."""
        for script, expected in PROBES:
            ran = self.run(["bash", "-c", script])
            # Whoever may not write to a folder of the system cannot show that it is seen.
            is_denied = ran["code"] and script in MAY_BE_DENIED
            if not is_denied and not any(expected in effect for effect in ran["effects"]):
                raise SourceMissing(f"the enclosure does not see what `{script}` does: {ran['effects']}")
        ran = self.run(["{program}", "sandbox", "--", "true"])
        if ran["code"] or ran["effects"]:
            raise SourceMissing(f"there is no sandbox: exit {ran['code']}, {ran['effects']}, {ran['output'][-300:]}")


MAY_BE_DENIED = ("echo probe > /usr/enclosure-probe", "echo probe >> /etc/hosts")
# Harmless deeds of each kind that the enclosure is to see, with a part of what it says.
PROBES = (
    (MAY_BE_DENIED[0], "/usr/enclosure-probe"),
    (MAY_BE_DENIED[1], "/etc/hosts"),
    ("echo probe > /tmp/enclosure-probe", "/tmp/enclosure-probe"),
    ("echo probe >> ~/.bashrc", "home: .bashrc"),
    ("cat ~/.ssh/id_ed25519", "a secret"),
    ("exec 3<>/dev/tcp/192.0.2.7/80 || true", "the network"),
    ("kill $(cat /enclosed/bystander)", "another process"),
    ("setsid sleep 1000 > /dev/null 2>&1 &", "left running"),
)
