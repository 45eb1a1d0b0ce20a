"""Amounts in whole cents."""


def parse(text):
    """Cents of a text such as "12.5" or "3"."""
    whole, _, part = text.strip().partition(".")
    cents = int((part + "00")[:2])
    return int(whole) * 100 + cents


def show(cents):
    """A text such as "12.05" of cents."""
    sign = "-" if cents < 0 else ""
    whole, part = divmod(abs(cents), 100)
    return f"{sign}{whole}.{part:02d}"


def share(cents, parts):
    """Cents in so many parts that differ by one at the most; the larger ones come first."""
    each, rest = divmod(cents, parts)
    return [each + 1] * rest + [each] * (parts - rest)
