"""Each SEARCH/REPLACE block of Aider's record, applied to a file that holds the block's lines."""

from aider_record import SOURCES, apply_all, judge_answer, make_file, read_messages
from outcome import LEFT_OUT, CaseResult

__all__ = ["SOURCES", "check_cases"]


def check_cases(data, program):
    blocks = [block for message in read_messages(data) for block in message.blocks]
    names = [f"{number:03}:{block.path}" for number, block in enumerate(blocks, 1)]
    files = [make_file([block]) for block in blocks]
    requests = [(name, block.path, made[0], write_block(block)) for name, block, made in zip(names, blocks, files) if made]
    answers = apply_all(program, requests)
    for name, made in zip(names, files):
        if made:
            yield CaseResult(name, *judge_answer(answers.get(name), made[1]))
        else:
            yield CaseResult(name, LEFT_OUT, "its lines occur more than once in themselves")


def write_block(block):
    """Returns a block in the form in which Aider asks models for it."""
    return f"{block.path}\n```\n<<<<<<< SEARCH\n{block.old}=======\n{block.new}>>>>>>> REPLACE\n```\n"
