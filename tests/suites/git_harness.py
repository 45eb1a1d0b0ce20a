"""A copy of git's test harness that uses the system's git, and sends `git apply` through the shim as well."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from sources import SourceMissing

HERE = Path(__file__).resolve().parent
# The variables that git's build writes for the harness.
BUILD_OPTIONS = {
    "SHELL_PATH": "/bin/sh", "TEST_SHELL_PATH": "/bin/sh", "PERL_PATH": "perl", "DIFF": "diff", "TAR": "tar", "X": "", "NO_PERL": "1",
    "NO_PYTHON": "1", "NO_GETTEXT": "1", "NO_CURL": "1", "NO_EXPAT": "1", "PAGER_ENV": "LESS=FRX LV=-c",
}
# Its checks of the scripts themselves take long, and an older git does not say which hash it uses.
HARNESS_SETTINGS = {
    "GIT_TEST_CHAIN_LINT": "0", "GIT_TEST_EXT_CHAIN_LINT": "0", "GIT_TEST_USE_SET_E": "false", "TEST_NO_MALLOC_CHECK": "1",
    "GIT_TEST_DEFAULT_HASH": "sha1", "GIT_TEST_DEFAULT_REF_FORMAT": "files", "LC_ALL": "C.UTF-8",
}
SCRIPT_LIMIT = 300


class GitHarness:
    """The harness in a folder of its own."""

    def __init__(self, tests, folder, program):
        self.folder, self.program = folder, program
        self.git = shutil.which("git")
        if not self.git:
            raise SourceMissing("git is not installed")
        shutil.copytree(tests, folder / "t", symlinks=True)
        self.write_programs()
        templates = folder / "templates/blt"
        templates.mkdir(parents=True)
        options = {**BUILD_OPTIONS, "GIT_TEST_TEMPLATE_DIR": str(templates), "GIT_SOURCE_DIR": str(folder)}
        (folder / "GIT-BUILD-OPTIONS").write_text("".join(f"{name}='{value}'\n" for name, value in options.items()))

    def write_programs(self):
        """Writes the programs that the harness calls: git, which asks the shim first, and test-tool."""
        tool = f'#!/bin/sh\nexec "{sys.executable}" -B "{HERE / "git_test_tool.py"}" "$@"\n'
        # Most calls are for the system's git, and a shell is quicker to say so.
        shim = f'exec "{sys.executable}" -B "{HERE / "git_shim.py"}" "$@"'
        git = f'#!/bin/sh\ncase " $* " in\n*" apply "*) {shim} ;;\nesac\nexec "{self.git}" "$@"\n'
        for name, text in (("bin/git", git), ("t/helper/test-tool", tool)):
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            path.chmod(0o755)

    def run_script(self, script):
        """Runs a script of tests; returns what it printed, with the shim's lines between."""
        log = self.folder / f"{script}.log"
        state = self.folder / "state"
        state.mkdir(exist_ok=True)
        env = {**os.environ, **HARNESS_SETTINGS, "GIT_TEST_INSTALLED": str(self.folder / "bin"), "SHIM_LOG": str(log),
               "SHIM_GIT": self.git, "SHIM_PROGRAM": str(self.program.path), "SHIM_STATE": str(state)}
        # Both append to one file, so that the shim's lines stand above the line of their case.
        with open(log, "ab") as out:
            try:
                subprocess.run(["/bin/sh", f"./{script}.sh"], cwd=self.folder / "t", env=env, stdin=subprocess.DEVNULL, stdout=out,
                               stderr=subprocess.DEVNULL, timeout=SCRIPT_LIMIT)
            except subprocess.TimeoutExpired:
                out.write(b"Bail out! it took too long\n")
        return log.read_text(errors="replace")
