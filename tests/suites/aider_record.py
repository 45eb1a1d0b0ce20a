"""Aider's record of a chat: what models wrote, and the SEARCH/REPLACE blocks that Aider reads in it."""

import json
import re
from dataclasses import dataclass, field

from sources import Source

FIXTURES = "tests/fixtures/"
MESSAGES, BLOCKS = "chat-history.md", "chat-history-search-replace-gold.txt"
SOURCES = [Source("Aider-AI", "aider", "5dc9490bb35f9729ef2c95d00a19ccd30c26339c", (FIXTURES + MESSAGES, FIXTURES + BLOCKS))]
# Lines around and between the texts of a file, which no block holds.
FILLER = "filler line {}\n"


@dataclass
class Block:
    """Lines to find in a file, and those that replace them."""

    path: str
    old: str
    new: str


@dataclass
class Message:
    """What a model wrote after one request: the whole text, and the blocks that Aider reads in it."""

    title: str
    text: str = ""
    blocks: list = field(default_factory=list)


def read_messages(data):
    """Returns the messages with blocks, in the order of the record."""
    folder = data["aider"] / FIXTURES
    messages = list(read_blocks((folder / BLOCKS).read_text()))
    sections = re.split(r"(?=####\s)", (folder / MESSAGES).read_text())
    texts = ((section.split("\n", 1)[0].strip(), section.partition("\n")[2]) for section in sections)
    for message in messages:
        # A title may occur more than once; the order is that of the record.
        for title, text in texts:
            if title == message.title and has_first_block(text, message):
                message.text = text
                break
        else:
            raise ValueError(f"the record does not hold the message {message.title!r}")
    return [reply for message in messages for reply in split_replies(message)]


def split_replies(message):
    """Returns the replies of a message that have blocks. Between two replies stand lines of Aider itself, which begin with `>`."""
    replies, left = [], message.blocks
    for text in re.split(r"^> .*\n|^>\s*\n", message.text, flags=re.MULTILINE):
        count = len(re.findall(r"^\s*<{5,9} SEARCH>?\s*$", text, re.MULTILINE))
        if count and left:
            replies.append(Message(message.title, text, left[:count]))
            left = left[count:]
    return replies


def has_first_block(text, message):
    return not message.blocks or (message.blocks[0].old in text and message.blocks[0].new in text)


def read_blocks(text):
    """Reads the file of blocks; yields messages without their text."""
    message, block, part = None, None, None
    for line in text.splitlines(keepends=True):
        if block and line == "@" * 20 + "\n":
            part = "new"
        elif block and line.startswith("@@@ REPLACE @@@@"):
            message.blocks.append(block)
            block = None
        elif block:
            setattr(block, part, getattr(block, part) + line)
        elif line.startswith("@@@ SEARCH: "):
            block, part = Block(line.removeprefix("@@@ SEARCH: ").rstrip().rstrip("@").rstrip(), "", ""), "old"
        elif line.startswith("@@@ #### "):
            if message:
                yield message
            message = Message(line.removeprefix("@@@ ").rstrip().rstrip("@").rstrip())
    if message:
        yield message


def make_file(blocks, others=()):
    """Returns a file that the blocks fit, before and after them; nothing where the blocks do not stand side by side.

    The file holds the lines of `others` too, which are blocks for other files: these lines stay. The text before is none where
    the only block makes the file.
    """
    if any(not block.old.strip() for block in blocks):
        return (None, blocks[0].new) if len(blocks) == 1 else None
    before = after = FILLER.format(0)
    both = [(block.old, block.new) for block in blocks] + [(block.old, block.old) for block in others if block.old.strip()]
    for number, (old, new) in enumerate(both, 1):
        before += old + FILLER.format(number)
        after += new + FILLER.format(number)
    lone = all(("\n" + before).count("\n" + old) == 1 for old, _ in both)
    return (before, after) if lone else None


def apply_all(program, requests):
    """Applies diffs by `wherefore patch --batch`: requests are (id, path, text before, diff); returns the answers by id."""
    lines = []
    for name, path, before, diff in requests:
        request = {"id": name, "path": path, "diff": diff}
        if before is not None:
            request["before"] = before
        lines.append(json.dumps(request) + "\n")
    with program.make_workspace() as workspace:
        ran = workspace.run("patch", "--batch", sent="".join(lines))
    answers = (json.loads(line) for line in ran.stdout.splitlines())
    return {answer["id"]: answer for answer in answers}


def judge_answer(answer, after):
    """Returns the state and the reason of an answer beside the text that it should hold."""
    if answer is None:
        return "failed", "no answer"
    if not answer["ok"]:
        return "failed", answer.get("error", "refused")
    if answer.get("after") == after:
        return "passed", ""
    return "harmed", f"the text is otherwise than Aider's: {find_first_difference(answer.get('after') or '', after)}"


def find_first_difference(text, wanted):
    """Returns the first line that differs in two texts, and its number."""
    pairs = zip([*text.splitlines(), ""], [*wanted.splitlines(), ""])
    for number, (line, other) in enumerate(pairs, 1):
        if line != other:
            return f"line {number} is {line!r}, not {other!r}"
    return "one of them goes on"
