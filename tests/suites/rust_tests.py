"""Tests in Rust that call a few functions one after the other, read as data: the names of a file's tests, and their statements.

It is no reader of Rust: of a statement that is more than calls, strings, numbers and lists there is no tree, and who asks leaves
that test out.
"""

import re
from dataclasses import dataclass

TEST = re.compile(r"#\[test\]\s*(?:#\[[^\]]*\]\s*)*fn (\w+)\(\) *\{")
TOKEN = re.compile(r"""
    (?P<comment>//[^\n]*) | (?P<space>\s+) | (?P<raw>r(?P<mark>\#*)"(?:.*?)"(?P=mark)) | (?P<text>"(?:[^"\\]|\\.)*") | (?P<number>\d+) | (?P<name>\w+) | (?P<sign>::|=>|.)
""", re.VERBOSE | re.DOTALL)
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", '"': '"', "\\": "\\", "'": "'"}
PAIRS = {"(": ")", "[": "]", "{": "}"}


class NoTree(Exception):
    """A statement is more than what is read here; the message says what stands there."""


@dataclass
class Call:
    """A call of a function, of a method (`target`), or of a macro (its name ends with `!`)."""

    target: object
    name: str
    arguments: list


@dataclass
class Name:
    """A variable, a path, or a member of either (`of`)."""

    name: str
    of: object = None


def read_tests(text):
    """Yields the name of each test of a file with its statements, each a list of tokens."""
    for found in TEST.finditer(text):
        yield found[1], split_statements(read_tokens(text[found.end():]))


def read_tokens(text):
    """Returns the tokens up to the end of a body whose opening brace was read."""
    tokens, depth = [], 0
    for found in TOKEN.finditer(text):
        if found.lastgroup in ("comment", "space"):
            continue
        if found["raw"]:
            tokens.append(("raw", found[0].strip("r#")[1:-1]))
            continue
        depth += {"{": 1, "}": -1}.get(found[0], 0) if found.lastgroup == "sign" else 0
        if depth < 0:
            break
        tokens.append((found.lastgroup, found[0]))
    return tokens


def split_statements(tokens):
    """Splits a body at the semicolons that stand in no brackets; a block that ends with a brace is a statement of its own."""
    statements, current, depth = [], [], 0
    for kind, text in tokens:
        current.append((kind, text))
        if kind == "sign":
            depth += (text in PAIRS) - (text in PAIRS.values())
            begins_block = current[0][1] in ("for", "if", "while", "match", "{", "fn", "loop", "unsafe", "use")
            if depth == 0 and (text == ";" or text == "}" and begins_block):
                statements.append(current[:-1] if text == ";" else current)
                current = []
    return [*statements, current] if current else statements


class Reader:
    """Reads a tree from the tokens of one expression."""

    def __init__(self, tokens):
        self.tokens, self.at = tokens, 0

    def peek(self, ahead=0):
        at = self.at + ahead
        return self.tokens[at] if at < len(self.tokens) else ("end", "")

    def take(self, text=None):
        kind, found = self.peek()
        if text is not None and found != text or kind == "end":
            raise NoTree(f"{found or 'the end'} in place of {text or 'more'}")
        self.at += 1
        return kind, found

    def read_whole(self):
        tree = self.read_expression()
        if self.peek()[0] != "end":
            raise NoTree(f"{self.peek()[1]} after an expression")
        return tree

    def read_expression(self):
        while self.peek()[1] in ("&", "mut"):
            self.take()
        kind, text = self.peek()
        if kind == "text":
            tree = unescape(self.take()[1])
        elif kind == "raw":
            tree = self.take()[1]
        elif kind == "number":
            tree = int(self.take()[1])
        elif text == "[":
            tree = self.read_list("[")
        elif text == "(":
            tree = tuple(self.read_list("("))
            tree = tree[0] if len(tree) == 1 else tree
        elif kind == "name":
            tree = self.read_name()
        else:
            raise NoTree(f"{text} begins no expression that is read")
        return self.read_rest(tree)

    def read_name(self):
        parts = [self.take()[1]]
        while self.peek()[1] == "::":
            self.take()
            parts.append(self.take()[1])
        name = "::".join(parts)
        if self.peek()[1] == "!" and self.peek(1)[1] in ("[", "("):
            self.take()
            return Call(None, f"{parts[-1]}!", self.read_list(self.peek()[1]))
        return Call(None, name, self.read_list("(")) if self.peek()[1] == "(" else Name(name)

    def read_rest(self, tree):
        """Reads the methods and members behind an expression."""
        while self.peek()[1] == ".":
            self.take()
            kind, name = self.take()
            if kind != "name":
                raise NoTree(f".{name} is no member that is read")
            tree = Call(tree, name, self.read_list("(")) if self.peek()[1] == "(" else Name(name, tree)
        return tree

    def read_list(self, opening):
        self.take(opening)
        items = []
        while self.peek()[1] != PAIRS[opening]:
            items.append(self.read_expression())
            if self.peek()[1] != PAIRS[opening]:
                self.take(",")
        self.take(PAIRS[opening])
        return items


def unescape(literal):
    """Returns the text of a string literal; a line that ends with a backslash goes on at the next word."""
    text = re.sub(r"\\\n\s*", "", literal[1:-1])
    if re.search(r"\\[ux]", text):
        raise NoTree("a character by its number")
    return re.sub(r"\\(.)", lambda found: ESCAPES.get(found[1], found[1]), text)
