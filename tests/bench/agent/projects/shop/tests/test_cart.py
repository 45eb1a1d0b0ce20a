import unittest

from shop.cart import Cart


class CartTest(unittest.TestCase):
    def test_a_cart_counts_and_sums(self):
        cart = Cart()
        cart.add("pen", 100, 2)
        cart.add("pen", 100)
        self.assertEqual(cart.count(), 3)
        self.assertEqual(cart.calc_total(), 357)
