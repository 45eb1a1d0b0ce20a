"""A patch by the program's own doors: `wherefore patch` for the lines of one file, fs.patch for all else."""

import json
import os
import re
import subprocess
from pathlib import Path

from git_options import UnsupportedCall

PROGRAM = os.environ.get("SHIM_PROGRAM", "")
# Lines of a diff that changes more than the lines of a file: links and submodules have modes of their own.
MORE_THAN_LINES = re.compile(
    rb"^(new file mode|deleted file mode|old mode|new mode|rename |copy |similarity |GIT binary patch|Binary files |index \S+ 1[26]0000)",
    re.MULTILINE)
TIME = re.compile(r"[\t ]+\d{4}-\d\d-\d\d .*$")
LIMIT = 120


def apply_by_program(call, diffs, folder, below, scratch):
    """Applies the diffs in a folder, one after the other; returns whether all were applied, and the program's words.

    Raises `UnsupportedCall` where no door takes the call.
    """
    said = ""
    for diff in diffs:
        name = single_file(call, diff, folder, below)
        if name is None:
            if call.strips not in (None, 1) or call.folder:
                raise UnsupportedCall("option -p or --directory for a diff of several files, or of more than lines")
            applied, said = apply_by_tool(diff, folder, scratch)
        else:
            applied, said = apply_by_command(name, diff, folder, scratch)
        if not applied:
            return False, said
    return True, said


def apply_by_command(name, diff, folder, scratch):
    """Runs `wherefore patch FILE DIFF`."""
    (scratch / "diff").write_bytes(diff)
    ran = run_program(["patch", name, str(scratch / "diff")], folder, scratch)
    return ran.returncode == 0, (ran.stderr or ran.stdout).decode(errors="replace").strip()


def apply_by_tool(diff, folder, scratch):
    """Calls fs.patch without a path: the diff names its files."""
    try:
        text = diff.decode()
    except UnicodeDecodeError as error:
        raise UnsupportedCall("a diff of several files that is not UTF-8, which a call cannot carry") from error
    call = json.dumps({"diff": text, "why": "Bring the files to the state of the patch"}).encode()
    ran = run_program(["call", "--root", str(folder), "--policy", "auto", "fs.patch", "-"], folder, scratch, call)
    try:
        result = json.loads(ran.stdout or ran.stderr)
    except ValueError:
        return False, (ran.stdout + ran.stderr).decode(errors="replace").strip()
    words = [result.get("status") or result.get("code"), result.get("message") or result.get("note")]
    return words[0] in ("applied", "unchanged"), ": ".join(["fs.patch", *filter(None, words)])


def run_program(words, folder, scratch, sent=b""):
    own = {f"XDG_{name}": str(scratch / name.lower()) for name in ("RUNTIME_DIR", "STATE_HOME", "CONFIG_HOME", "CACHE_HOME")}
    Path(own["XDG_RUNTIME_DIR"]).mkdir(mode=0o700, exist_ok=True)
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return subprocess.run([PROGRAM, *words], cwd=folder, env={**env, **own, "HOME": str(scratch)}, input=sent, capture_output=True,
                          timeout=LIMIT)


def single_file(call, diff, folder, below):
    """Returns the file of a diff that changes the lines of one file; nothing for any other diff."""
    is_git = re.search(rb"^diff --git ", diff, re.MULTILINE)
    pairs = re.findall(rb"^--- (.*)\n\+\+\+ (.*)\n@@ ", diff, re.MULTILINE)
    if len(pairs) != 1 or MORE_THAN_LINES.search(diff) or len(re.findall(rb"^diff --git ", diff, re.MULTILINE)) > 1:
        return None
    names = [read_name(name) for name in pairs[0]]
    # git guesses that a plain name has no folder to take away.
    is_plain = not is_git and call.strips is None and not any("/" in name for name in names if name)
    strips = 0 if is_plain else 1 if call.strips is None else call.strips
    names = [strip_name(name, strips) for name in names]
    names = [name for name in names if name]
    if not names or any(name.startswith("/") or ".." in name.split("/") for name in names):
        return None
    place = Path() if is_git else below
    paths = [str(place / call.folder / name) for name in names]
    return next((path for path in paths[::-1] if (folder / path).exists()), paths[-1])


def read_name(line):
    """Returns the name of a `---` or `+++` line; nothing for /dev/null."""
    text = os.fsdecode(line)
    if text.startswith('"'):
        quoted = re.match(r'"((?:[^"\\]|\\.)*)"', text)
        text = os.fsdecode(re.sub(rb"\\([0-7]{3}|.)", unescape, os.fsencode(quoted[1]))) if quoted else text
    else:
        text = TIME.sub("", text.rstrip("\r")) if TIME.search(text) else text.split("\t")[0].rstrip("\r")
    return None if text == "/dev/null" else text


def unescape(match):
    code = match[1]
    if len(code) == 3:
        return bytes([int(code, 8) & 0xFF])
    return {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}.get(code, code)


def strip_name(name, count):
    """Returns a name without its first folders; nothing where it has fewer."""
    parts = re.split(r"/+", name or "")
    return "/".join(parts[count:]) or None
