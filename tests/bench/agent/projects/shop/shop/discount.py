"""Discounts on a sum."""

STEPS = [(10_000, 10), (5_000, 5)]


def percent(cents):
    """The percentage that is taken off a sum: 5 from 50.00 on, 10 from 100.00 on."""
    for least, percentage in STEPS:
        if cents >= least:
            return percentage
    return 0


def discounted(cents):
    return cents - cents * percent(cents) // 100
