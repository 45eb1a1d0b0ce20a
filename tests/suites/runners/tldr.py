"""tldr: the example commands of its pages for all systems and for Linux, which the rules are to read right."""

import re

from command_rules import check_everyday
from sources import Source

SOURCES = [Source("tldr-pages", "tldr", "08e345f42639f67d99282813247ac670dc6e87cb", ("pages/common/", "pages/linux/"))]
PLACEHOLDER = re.compile(r"\{\{(.*?)\}\}")
CHOICE = re.compile(r"\[([^\[\]|]*)(?:\|[^\[\]|]*)+\]")


def check_cases(data, program):
    return check_everyday("tldr", program, list(read_examples(data["tldr"] / "pages")))


def read_examples(pages):
    """Yields the name and the command of each example."""
    for page in sorted(pages.glob("*/*.md")):
        lines = [line for line in page.read_text().splitlines() if line.startswith("`") and line.endswith("`")]
        for number, line in enumerate(lines, 1):
            yield f"{page.parent.name}/{page.stem}/{number}", fill_placeholders(line[1:-1])


def fill_placeholders(example):
    """Returns an example as somebody would type it: the first of several choices, and the placeholders' own names."""
    def fill(found):
        text = CHOICE.sub(r"\1", found[1]).replace(" ...", "")
        return text.split("|")[0].strip()

    return PLACEHOLDER.sub(fill, example).replace("\\{\\{", "{{").replace("\\}\\}", "}}")
