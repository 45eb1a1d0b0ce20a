"""The tax on a sum."""

RATE = 19


def with_tax(cents):
    """The sum with the tax, rounded to whole cents."""
    return cents + (cents * RATE + 50) // 100
