"""The corpus of destructive_command_guard: commands that must be stopped, and commands that must not."""

import tomllib

from command_rules import check_expected
from sources import Source

SOURCES = [Source("Dicklesworthstone", "destructive_command_guard", "1a52415130fffec249e3c8adde72f58e3c4d6de0", ("tests/corpus/",))]


def check_cases(data, program):
    return check_expected("dcg", program, list(read_cases(data["destructive_command_guard"] / "tests/corpus")))


def read_cases(corpus):
    """Yields the name, the command and the expectation of each case; `canonical.toml` writes the expectation in its own way."""
    for path in sorted(corpus.rglob("*.toml")):
        for number, case in enumerate(tomllib.loads(path.read_text()).get("case", []), 1):
            expected = case.get("expected") or case.get("expected_decision")
            if expected in ("allow", "deny") and case.get("input_kind", "command") == "command":
                yield f"{path.relative_to(corpus).with_suffix('')}/{number}", case["command"], expected == "deny"
