"""Random work of an agent and a person in a repository, rewritten by git: who wrote each line of HEAD, by the notes in a clone.

It is the model of git-ai's fuzzer: unlike lines, a set of the agent's, and after each rewriting of history the same authors.
A line of a person's that is said to be an agent's is harm. WHEREFORE_SEED repeats a run.
"""

import os
from random import Random

from noted_repository import NotedRepository
from outcome import FAILED, HARMED, PASSED, CaseResult

SOURCES = []
ROUNDS = 4
FIRST_SEED = 1


def check_cases(_, program):
    seed = int(os.environ.get("WHEREFORE_SEED", FIRST_SEED))
    for name, rewrite in sorted(REWRITINGS.items()):
        for number in range(ROUNDS):
            yield play_round(program, f"{name}/{seed + number}", rewrite)


def play_round(program, name, rewrite):
    """Plays a round with a seed: two commits of mixed work, a rewriting, and a look at every line."""
    with program.make_workspace() as workspace:
        repository = NotedRepository(workspace, Random(name))
        work(repository)
        repository.commit()
        rewrite(repository)
        repository.wait_for_notes()
        credited, missed = repository.check_lines()
        said = f"credited to the agent: {credited}; missed: {missed}; after {repository.steps}"
        if credited:
            return CaseResult(name, HARMED, said)
        return CaseResult(name, FAILED if missed else PASSED, said if missed else "")


def work(repository, name=None):
    """Makes two to four edits by either author."""
    for _ in range(repository.random.choice((2, 3, 4))):
        repository.edit(repository.random.choice(("agent", "person")), name)


def branch_off(repository):
    """Makes a branch with two commits of work, and a commit on main beside it in another file; stays on the branch."""
    repository.git("switch", "-qc", "topic")
    for _ in range(2):
        work(repository, "a.txt")
        repository.commit()
    repository.git("switch", "-q", "main")
    work(repository, "b/c.txt")
    repository.commit()
    repository.git("switch", "-q", "topic")


def amend(repository):
    work(repository)
    repository.commit("--amend")


def rebase(repository):
    branch_off(repository)
    repository.git("rebase", "-q", "main")


def squash(repository):
    """Joins the last two commits by `rebase --autosquash`."""
    work(repository)
    repository.commit()
    work(repository)
    repository.commit("--squash=HEAD")
    repository.git("rebase", "-qi", "--autosquash", "HEAD~2")


def merge(repository):
    branch_off(repository)
    repository.git("switch", "-q", "main")
    repository.git("merge", "-q", "--no-edit", "topic")


def merge_squash(repository):
    branch_off(repository)
    repository.git("switch", "-q", "main")
    repository.git("merge", "-q", "--squash", "topic")
    repository.commit()


def cherry_pick(repository):
    branch_off(repository)
    repository.git("switch", "-q", "main")
    repository.git("cherry-pick", "topic~1", "topic")


def stash(repository):
    """Puts uncommitted work aside, commits other work, and takes it up again."""
    work(repository, "a.txt")
    repository.git("stash", "-q")
    work(repository, "b/c.txt")
    repository.commit()
    repository.git("stash", "pop", "-q")
    repository.commit()


def reset_soft(repository):
    work(repository)
    repository.commit()
    repository.git("reset", "-q", "--soft", "HEAD~1")
    repository.commit()


def reset_mixed(repository):
    """Takes a commit apart and commits its files one after the other."""
    work(repository)
    repository.commit()
    repository.git("reset", "-q", "HEAD~1")
    repository.git("commit", "-q", "--allow-empty", "-m", "first", "a.txt")
    repository.commit()


def reset_hard_and_back(repository):
    work(repository)
    repository.commit()
    repository.git("reset", "-q", "--hard", "HEAD~1")
    repository.git("reset", "-q", "--hard", "HEAD@{1}")


def revert_twice(repository):
    work(repository)
    repository.commit()
    repository.git("revert", "--no-edit", "HEAD")
    repository.git("revert", "--no-edit", "HEAD")


def conflict(repository):
    """Rebases onto a change of the same lines; the person keeps both sides."""
    repository.git("switch", "-qc", "topic")
    repository.edit("agent", "a.txt", spot=3)
    repository.commit()
    repository.git("switch", "-q", "main")
    repository.edit("person", "a.txt", spot=3)
    repository.commit()
    repository.git("switch", "-q", "topic")
    if repository.git("rebase", "-q", "main", fails=True) is None:
        lines = repository.read_lines("a.txt")
        repository.write_lines("a.txt", [line for line in lines if not line.startswith(("<<<<<<<", "=======", ">>>>>>>"))])
        repository.git("add", "a.txt")
        repository.git("rebase", "--continue")


def partial_commit(repository):
    """Commits one file while the other has changes, then the rest."""
    work(repository, "a.txt")
    work(repository, "b/c.txt")
    repository.git("commit", "-qm", "part", "a.txt")
    repository.commit()


REWRITINGS = {
    "amend": amend, "cherry-pick": cherry_pick, "conflict": conflict, "merge": merge, "merge-squash": merge_squash,
    "partial-commit": partial_commit, "rebase": rebase, "reset-hard-and-back": reset_hard_and_back, "reset-mixed": reset_mixed,
    "reset-soft": reset_soft, "revert-twice": revert_twice, "squash": squash, "stash": stash,
}
