"""The arguments of `git apply`: those that change nothing here, and those that the program has nothing for."""

import subprocess
from dataclasses import dataclass, field
from pathlib import Path

# Options that ask for what the program does in any case, or for more words.
HERE = {"-v", "--verbose", "-q", "--quiet", "--apply", "--binary", "--allow-binary-replacement", "--recount", "--unidiff-zero",
        "--whitespace=nowarn", "--whitespace=warn", "--no-ignore-whitespace"}
# Options with which git prints, and applies nothing.
PRINTING = {"--stat", "--numstat", "--summary"}


class UnsupportedCall(Exception):
    """The program has nothing for a call; the message says what."""


@dataclass
class ApplyCall:
    """A call of `git apply` that the program has all options for.

    `strips` is the number of folders taken from each name, where it is stated; `folder` is put before each.
    """

    patches: list = field(default_factory=list)
    strips: int | None = None
    folder: str = ""
    checks: bool = False

    @property
    def takes_input(self):
        return not self.patches or "-" in self.patches

    def read_diffs(self, stdin):
        """Returns the bytes of each patch."""
        try:
            return [stdin if name == "-" else Path(name).read_bytes() for name in self.patches or ["-"]]
        except OSError as error:
            raise UnsupportedCall("there is no such patch file") from error


def read_call(words):
    """Reads the words of a call; nothing where it is for another command of git's.

    Raises `UnsupportedCall` where an option has no counterpart.
    """
    rest = list(words)
    while rest and rest[0].startswith("-"):
        if rest[0] in ("-C", "-c", "--git-dir", "--work-tree"):
            if "apply" in rest[2:3]:
                raise UnsupportedCall(f"git {rest[0]}")
            rest = rest[1:]
        rest = rest[1:]
    if rest[:1] != ["apply"]:
        return None
    call, printing, applies = ApplyCall(), None, False
    rest = rest[1:]
    while rest:
        word = rest.pop(0)
        if word == "--":
            call.patches += rest
            break
        if word == "-" or not word.startswith("-"):
            call.patches.append(word)
        elif word.startswith("-p"):
            text = word[2:] or "".join(rest[:1])
            rest = rest if word[2:] else rest[1:]
            if not text.isdigit():
                raise UnsupportedCall("option -p without a number")
            call.strips = int(text)
        elif word.startswith("--directory="):
            call.folder = word.removeprefix("--directory=")
        elif word == "--check":
            call.checks = True
        elif word in PRINTING:
            printing = word
        elif word != "--index" and word not in HERE:
            raise UnsupportedCall(f"option {word.split('=')[0] if not word.startswith('--whitespace') else word}")
        applies |= word in ("--apply", "--index", "--check")
    if printing and not applies:
        raise UnsupportedCall(f"option {printing}: it prints, and applies nothing")
    check_settings()
    return call


def check_settings():
    """Raises `UnsupportedCall` where git's settings change how a patch is applied."""
    ran = subprocess.run(["git", "config", "--get-regexp", r"^(apply\.|core\.(autocrlf|whitespace|eol))"], capture_output=True, text=True)
    names = sorted({line.split()[0] for line in ran.stdout.splitlines()})
    if names:
        raise UnsupportedCall(f"setting {', '.join(names)}")
