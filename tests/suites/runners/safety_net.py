"""The tests of claude-code-safety-net: the commands that its tests say are blocked, and those that are allowed."""

import re

from command_rules import check_expected
from sources import Source

SOURCES = [Source("kenryu42", "claude-code-safety-net", "1819ca2d7527e261fbfaee17237bc54d857a726c", ("tests/",))]
# The files whose assertions are about commands alone.
FILES = ("core/rules-rm", "core/rules-git", "core/analyze/edge-cases", "core/analyze/find")
STRING = re.compile(r"'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"|`(?:[^`\\$]|\\.|\$(?!\{))*`", re.DOTALL)
ASSERTION = re.compile(r"assert(Blocked|Allowed)\(\s*")
ESCAPE = re.compile(r"\\(u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)", re.DOTALL)
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}


def check_cases(data, program):
    return check_expected("safety-net", program, list(read_cases(data["claude-code-safety-net"] / "tests")))


def read_cases(tests):
    """Yields the name, the command and the expectation of each assertion that depends on no setting and no folder."""
    for name in FILES:
        text = (tests / f"{name}.test.ts").read_text()
        settings = list(find_settings(text))
        for number, found in enumerate(ASSERTION.finditer(text), 1):
            literal = STRING.match(text, found.end())
            if not literal or any(start < found.start() < end for start, end in settings):
                continue
            blocked = found[1] == "Blocked"
            # Blocked takes the command and a reason, Allowed the command; one more argument is a folder.
            rest = re.match(r"\s*,\s*" + STRING.pattern if blocked else "", text[literal.end():], re.DOTALL)
            if rest and re.match(r"\s*,?\s*\)", text[literal.end() + rest.end():]):
                command = unescape(literal[0])
                if "\0" not in command:
                    yield f"{name}/{number}", command, blocked


def find_settings(text):
    """Yields where each call of `withEnv` begins and ends: what is asserted in it depends on variables."""
    for found in re.finditer(r"withEnv\(", text):
        at, depth = found.end(), 1
        while depth and at < len(text):
            literal = STRING.match(text, at)
            if literal:
                at = literal.end()
                continue
            depth += {"(": 1, ")": -1}.get(text[at], 0)
            at += 1
        yield found.start(), at


def unescape(literal):
    """Returns the text of a literal of TypeScript."""
    def character(found):
        name = found[1]
        if name[0] in "ux" and len(name) > 1:
            return chr(int(name[1:].strip("{}"), 16))
        return "" if name == "\n" else ESCAPES.get(name, name)

    return ESCAPE.sub(character, literal[1:-1])
