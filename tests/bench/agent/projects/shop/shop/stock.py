"""How many of each thing are there."""


class Stock:
    def __init__(self, counts):
        self.counts = dict(counts)

    def take(self, name, count):
        """Takes so many out, or none: whether there were enough."""
        if self.counts.get(name, 0) < count:
            return False
        self.counts[name] -= count
        return True

    def low(self, least=3):
        """The names of which fewer than `least` are there, in order."""
        return sorted(name for name, count in self.counts.items() if count < least)
