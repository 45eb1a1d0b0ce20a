"""git-ai's integration tests of who wrote each line, through whatever git does to the commits.

A test there is a story: lines are written by an agent or a person, git commits and rewrites, and in the end each line has an
author. The stories are read from the tests and played with this program: an agent writes by fs.write, git's hooks write the notes,
and a clone says who wrote each line. What a test checks beside of git-ai's own stores and figures is passed over; a test with more
than such a story is left out, and one that checks no line's author is no case. A person's line that is said to be an agent's is harm.
"""

from git_ai_story import CHECKS, Story, WrongAuthors
from outcome import FAILED, HARMED, LEFT_OUT, PASSED, CaseResult
from rust_tests import NoTree, read_tests
from sources import Source

SOURCES = [Source("git-ai-project", "git-ai", "55a1d728fb968fff90c5050470d6bd5d629967c6", ("tests/integration/",))]


def check_cases(data, program):
    for path in sorted((data["git-ai"] / "tests/integration").glob("*.rs")):
        for name, statements in read_tests(path.read_text()):
            if not any(text in CHECKS for tokens in statements for _, text in tokens):
                continue
            yield play_story(program, f"{path.stem}/{name}", statements)


def play_story(program, name, statements):
    """Plays a test from the first statement to the last."""
    try:
        steps = Story.plan(statements)
    except NoTree as error:
        return CaseResult(name, LEFT_OUT, str(error))
    with program.make_workspace() as workspace:
        try:
            Story(workspace).play(steps)
        except WrongAuthors as wrong:
            return CaseResult(name, HARMED if wrong.is_harm else FAILED, str(wrong))
        except NoTree as error:
            return CaseResult(name, LEFT_OUT, str(error))
        except RuntimeError as error:
            return CaseResult(name, FAILED, f"it cannot be played: {error}")
    return CaseResult(name, PASSED)
