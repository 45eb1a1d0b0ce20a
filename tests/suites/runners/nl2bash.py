"""nl2bash: 12,607 one-liners of people's questions, which the rules are to read right."""

from command_rules import check_everyday
from sources import Source

SOURCES = [Source("TellinaTool", "nl2bash", "466c5fe873ab08c7cc0112ea1521cc6ad9c20992", ("data/bash/all.cm",))]


def check_cases(data, program):
    text = (data["nl2bash"] / "data/bash/all.cm").read_text()
    lines = text.removesuffix("\n").split("\n")
    return check_everyday("nl2bash", program, [(str(number), line) for number, line in enumerate(lines, 1) if line.strip()])
