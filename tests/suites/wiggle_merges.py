"""The merge tests of wiggle: a patch, or the change between two texts, put on a text that went another way."""

import difflib
import re

from outcome import FAILED, HARMED, LEFT_OUT, PASSED, CaseResult
from sources import Source

SOURCES = [Source("neilbrown", "wiggle", "2e44491eedaa2a85d92a8a985215356e0f9676d7", ("tests/",))]
# What wiggle shows of a merge that it made, where it is told to: only the last part is the merge.
SHOWN = re.compile(rb"^<{7} found\n(?:(?!^>{7}).*\n)*?&{7} resolution\n((?:(?!^>{7}).*\n)*?)>{7} replacement\n", re.MULTILINE)
# The results of wiggle's modes, from the one that it uses by default to the ones that it is told to use.
EXPECTED = ("merge", "wmerge", "Wmerge", "bmerge")
CONFLICT = re.compile(rb"^(<<<<<<<|>>>>>>>|\|\|\|\|\|\|\||&&&&&&&)|<<<---|--->>>", re.MULTILINE)


def check_merges(data, program, with_conflict):
    """Yields the cases in which wiggle's merge has a conflict, or those in which it has none."""
    for folder in sorted(path.parent for path in (data["wiggle"] / "tests").rglob("orig")):
        name = f"{folder.parent.name}/{folder.name}"
        expected = next((read_merge(folder / mode) for mode in EXPECTED if (folder / mode).exists()), None)
        diff = read_diff(folder)
        if expected is None or not diff:
            why = "it has no change to merge" if expected is not None else "it is a comparison of texts, and merges nothing"
            yield CaseResult(name, LEFT_OUT, why)
        elif bool(CONFLICT.search(expected)) == with_conflict:
            yield check_merge(name, program, (folder / "orig").read_bytes(), diff, expected)


def read_merge(path):
    """Returns the text that wiggle merges to, where it also shows how it came to it: a part without a resolution is a conflict."""
    return SHOWN.sub(rb"\1", path.read_bytes())


def read_diff(folder):
    """Returns the change of a test as a unified diff; nothing where it has none."""
    if (folder / "patch").exists():
        return (folder / "patch").read_bytes()
    if not (folder / "new2").exists():
        return None
    old, new = ((folder / name).read_text(encoding="latin-1").splitlines(keepends=True) for name in ("new", "new2"))
    lines = []
    for line in difflib.unified_diff(old, new, "a/orig", "b/orig"):
        lines.append(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n")
    return "".join(lines).encode("latin-1")


def check_merge(name, program, before, diff, expected):
    """Applies a change and compares it with wiggle's merge: the same text, or a refusal where wiggle has a conflict."""
    with program.make_workspace({"orig": before, "change.diff": diff}) as workspace:
        ran = workspace.run("patch", "--merge", "orig", "change.diff")
        after = (workspace.root / "orig").read_bytes()
    conflict = CONFLICT.search(expected)
    said = ran.stderr.strip()
    if ran.returncode:
        if after != before:
            return CaseResult(name, HARMED, f"it refuses, and the file is changed: {said}")
        return CaseResult(name, PASSED if conflict else FAILED, said)
    if conflict:
        return CaseResult(name, HARMED, f"applied, where wiggle has a conflict: {ran.stdout.strip()}")
    if after == expected:
        return CaseResult(name, PASSED)
    return CaseResult(name, HARMED, f"applied otherwise than wiggle: {describe_first_difference(after, expected)}")


def describe_first_difference(text, wanted):
    """Returns the first line that differs."""
    pairs = zip([*text.split(b"\n"), b""], [*wanted.split(b"\n"), b""])
    different = ((number, line, other) for number, (line, other) in enumerate(pairs, 1) if line != other)
    return next((f"line {number} is {line!r}, not {other!r}" for number, line, other in different), "")
