import unittest
from decimal import Decimal, ROUND_HALF_UP


class InsufficientFunds(Exception):
    def __init__(self, balance, amount):
        self.balance, self.amount = balance, amount
        super().__init__(f"balance {balance} < {amount}")


class Account:
    interest = Decimal("0.015")
    _next_id = 1

    def __init__(self, owner, balance=0):
        self.owner = owner
        self._balance = Decimal(balance)
        self.id = Account._next_id
        Account._next_id += 1
        self.history = []

    @property
    def balance(self):
        return self._balance.quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)

    def deposit(self, amount):
        if amount <= 0:
            raise ValueError("amount must be positive")
        self._balance += Decimal(amount)
        self.history.append(("deposit", amount))
        return self

    def withdraw(self, amount):
        if amount > self._balance:
            raise InsufficientFunds(self._balance, amount)
        self._balance -= amount
        self.history.append(("withdraw", amount))
        return self

    def accrue(self):
        self._balance *= 1 + self.interest


class TestAccount(unittest.TestCase):
    def setUp(self):
        self.acc = Account("Zoe", 100)

    def test_deposit(self):
        self.acc.deposit(50)
        self.assertEqual(self.acc.balance, 150)

    def test_negative(self):
        with self.assertRaises(ValueError) as cm:
            self.acc.deposit(-1)
        self.assertIn("positive", str(cm.exception))

    def test_overdraw(self):
        with self.assertRaisesRegex(InsufficientFunds, r"balance 100 < \d+"):
            self.acc.withdraw(101)

    def test_interest(self):
        self.acc.accrue()
        self.assertAlmostEqual(float(self.acc.balance), 101.5)

    def test_history(self):
        self.acc.deposit(1).withdraw(2)
        self.assertListEqual(self.acc.history, [("deposit", 1), ("withdraw", 2)])

    def test_many(self):
        for amount in (1, 2, 3):
            with self.subTest(amount=amount):
                self.assertTrue(Account("x").deposit(amount).balance == amount)

    @unittest.skip("later")
    def test_skipped(self):
        self.fail("no")


suite = unittest.defaultTestLoader.loadTestsFromTestCase(TestAccount)
result = unittest.TextTestRunner(verbosity=0).run(suite)
assert result.testsRun == 7, result
assert result.wasSuccessful() and len(result.skipped) == 1
print("tests run:", result.testsRun)
