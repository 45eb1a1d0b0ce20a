"""What a customer is about to buy."""

from shop.discount import discounted
from shop.tax import with_tax


class Cart:
    def __init__(self):
        self.lines = {}

    def add(self, name, price, count=1):
        """Puts so many of a thing in; the price of the first time counts."""
        known, have = self.lines.get(name, (price, 0))
        self.lines[name] = (known, have + count)

    def remove(self, name, count=1):
        """Takes so many of a thing out, all of them where there are fewer."""
        price, have = self.lines[name]
        if have <= count:
            del self.lines[name]
        else:
            self.lines[name] = (price, have - count)

    def count(self):
        return sum(count for _, count in self.lines.values())

    def calc_total(self):
        """Cents of all of it, the discount taken off and the tax added."""
        plain = sum(price * count for price, count in self.lines.values())
        return with_tax(discounted(plain))
