"""Whole replies of Aider's record, as models wrote them, applied to each file that they change.

A file also holds the lines that the reply changes in other files: these are to stay.
"""

from aider_record import SOURCES, apply_all, judge_answer, make_file, read_messages
from outcome import LEFT_OUT, CaseResult

__all__ = ["SOURCES", "check_cases"]


def check_cases(data, program):
    files, requests, names = {}, [], []
    for number, message in enumerate(read_messages(data), 1):
        for path in dict.fromkeys(block.path for block in message.blocks):
            name = f"{number:03}:{path}"
            own, others = ([block for block in message.blocks if (block.path == path) == is_own] for is_own in (True, False))
            files[name] = made = make_file(own, others) or make_file(own)
            names.append(name)
            if made:
                requests.append((name, path, made[0], message.text))
    answers = apply_all(program, requests)
    for name in names:
        if files[name]:
            yield CaseResult(name, *judge_answer(answers.get(name), files[name][1]))
        else:
            yield CaseResult(name, LEFT_OUT, "its blocks build on one another, or stand for several places")
