"""The merges of wiggle that end in a conflict: `wherefore patch` refuses them."""

from wiggle_merges import SOURCES, check_merges

__all__ = ["SOURCES", "check_cases"]


def check_cases(data, program):
    yield from check_merges(data, program, with_conflict=True)
