"""The merges of wiggle that end without a conflict: the same change by `wherefore patch` gives the same text."""

from wiggle_merges import SOURCES, check_merges

__all__ = ["SOURCES", "check_cases"]


def check_cases(data, program):
    yield from check_merges(data, program, with_conflict=False)
