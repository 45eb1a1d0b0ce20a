"""The replies of Aider's record that change several files, by one call of fs.patch without a path."""

from aider_record import SOURCES, make_file, read_messages
from outcome import FAILED, HARMED, LEFT_OUT, PASSED, CaseResult

__all__ = ["SOURCES", "check_cases"]

WHY = "Bring the files to the state that the reply asks for"


def check_cases(data, program):
    for number, message in enumerate(read_messages(data), 1):
        paths = list(dict.fromkeys(block.path for block in message.blocks))
        if len(paths) < 2:
            continue
        name = f"{number:03}:{'+'.join(paths)}"
        files = {path: make_file([block for block in message.blocks if block.path == path]) for path in paths}
        if all(files.values()):
            yield check_reply(name, program, message.text, files)
        else:
            yield CaseResult(name, LEFT_OUT, "its blocks build on one another, or stand for several places")


def check_reply(name, program, text, files):
    """Sends a whole reply and compares each file."""
    with program.make_workspace({path: made[0] for path, made in files.items() if made[0] is not None}) as workspace:
        before = workspace.read_files()
        result = workspace.call_tool("fs.patch", {"diff": text, "why": WHY})
        after = workspace.read_files()
    if after == {path: made[1].encode() for path, made in files.items()}:
        return CaseResult(name, PASSED)
    said = f"{result.get('code') or result.get('status')}: {result.get('message') or result.get('note')}"
    return CaseResult(name, FAILED if after == before else HARMED, said)
