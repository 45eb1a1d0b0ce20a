"""Stands in for `git apply` in git's tests: git does the work, and the program does the same in a copy of the folder.

Each call becomes a line of the log that SHIM_LOG names: `#shim` and a JSON object with the call's verdict. git's own result
stands, so that each case is judged by itself.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from git_options import UnsupportedCall, read_call
from git_surface import apply_by_program

LOG, GIT = os.environ["SHIM_LOG"], os.environ["SHIM_GIT"]


def write_verdict(verdict, reason):
    with open(LOG, "ab") as log:
        log.write(f"#shim {json.dumps({'verdict': verdict, 'reason': reason[:600]})}\n".encode())


def read_tree(folder):
    """Returns each path below a folder with its kind, its bytes and whether it is executable."""
    found = {}
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in (".git", ".wherefore")]
        linked = [name for name in folders if (Path(place) / name).is_symlink()]
        for name in files + linked:
            path = Path(place) / name
            if path.is_symlink():
                found[str(path.relative_to(folder))] = ("link", os.readlink(path))
            elif path.is_file():
                found[str(path.relative_to(folder))] = ("file", path.read_bytes(), bool(path.stat().st_mode & 0o100))
    return found


def copy_tree(folder, into):
    shutil.copytree(folder, into, symlinks=True, ignore=lambda _, names: [name for name in names if name in (".git", ".wherefore")])


def top_folder():
    """Returns the folder of the repository, or this one outside of any."""
    ran = subprocess.run([GIT, "rev-parse", "--show-toplevel"], capture_output=True, text=True)
    return Path(ran.stdout.strip() or os.getcwd()) if not ran.returncode else Path.cwd()


def describe_tree_difference(ours, gits):
    """Returns the first path whose state differs."""
    path = next(path for path in sorted(ours.keys() | gits.keys()) if ours.get(path) != gits.get(path))
    return f"{path} is {describe_state(ours.get(path))}, git: {describe_state(gits.get(path))}"


def describe_state(state):
    """Returns the kind of what stands at a path, and how it begins."""
    if state is None:
        return "not there"
    kind = "executable" if state[0] == "file" and state[2] else state[0]
    return f"{kind} {str(state[1])[:120]}"


def read_diffs(call, stdin):
    """Returns the bytes of each patch, and why they cannot be read."""
    try:
        return call.read_diffs(stdin), ""
    except UnsupportedCall as reason:
        return [], str(reason)


def pass_words_on(ran):
    sys.stdout.buffer.write(ran.stdout)
    sys.stderr.buffer.write(ran.stderr)
    sys.stdout.flush()
    sys.stderr.flush()


def judge(applied, words, ours, gits, before, ran):
    """Returns the verdict on a call, and the reason."""
    error = ran.stderr.decode(errors="replace").strip().split("\n")[0]
    if not applied:
        if ours != before:
            return "harmed", f"it refuses and changes the folder: {words}"
        return ("agrees", "") if ran.returncode else ("refused", words)
    if ran.returncode:
        return ("harmed", f"applied, where git says: {error}") if ours != before else ("unchanged", f"changes nothing, where git says: {error}")
    return ("agrees", "") if ours == gits else ("harmed", "applied otherwise: " + describe_tree_difference(ours, gits))


def main(words):
    stdin, unsupported = b"", ""
    try:
        call = read_call(words)
        if call is None:
            os.execv(GIT, [GIT, *words])
        if call.takes_input:
            stdin = sys.stdin.buffer.read()
    except UnsupportedCall as reason:
        ran = subprocess.run([GIT, *words])
        write_verdict("left out", str(reason))
        return ran.returncode
    top, below = top_folder(), Path.cwd()
    with tempfile.TemporaryDirectory(prefix="shim-", dir=os.environ["SHIM_STATE"]) as scratch:
        copy = Path(scratch) / "ws"
        copy_tree(top, copy)
        before = read_tree(copy)
        diffs, unsupported = read_diffs(call, stdin)
        ran = subprocess.run([GIT, *words], input=stdin if call.takes_input else None, capture_output=True)
        # Before its words are passed on: a test may send them to a file of the folder.
        after = read_tree(top)
        pass_words_on(ran)
        error = ran.stderr.decode(errors="replace")
        if "does not match index" in error or "does not exist in index" in error or "in the index" in error:
            unsupported = "what the index holds decides"
        try:
            applied, said = apply_by_program(call, diffs, copy, below.relative_to(top) if below.is_relative_to(top) else Path("."), Path(scratch))
        except UnsupportedCall as reason:
            unsupported = unsupported or str(reason)
        if unsupported:
            write_verdict("left out", unsupported)
            return ran.returncode
        ours = read_tree(copy)
        # A check leaves git's files as they are.
        gits = ours if call.checks else after
        if not applied and ours != before and len(diffs) > 1:
            # The patches of one call are whole or not at all; here they are several runs.
            ours = before
        write_verdict(*judge(applied, said, ours, gits, before, ran))
    return ran.returncode


sys.exit(main(sys.argv[1:]))
