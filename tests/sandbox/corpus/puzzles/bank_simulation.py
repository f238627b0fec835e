"""Accounts with decimals, descriptors, audit trails and all-or-nothing transfers."""
from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import contextmanager
from datetime import date
from decimal import ROUND_HALF_EVEN, Decimal
from functools import wraps
from typing import ClassVar, Iterator, NamedTuple


class BankError(Exception):
    """Base of all that can go wrong."""

class InsufficientFunds(BankError):
    def __init__(self, account: Account, wanted: Decimal):
        self.short = wanted - account.balance
        super().__init__(f"{account.owner} is {self.short} short")


class AccountClosed(BankError): ...


class Money:
    """A descriptor: whatever is assigned becomes a decimal with two places."""

    def __set_name__(self, owner, name):
        self.slot = "_" + name

    def __get__(self, instance, owner=None):
        return self if instance is None else getattr(instance, self.slot, Decimal("0.00"))

    def __set__(self, instance, value):
        setattr(instance, self.slot, cents(value))


def cents(value) -> Decimal:
    return Decimal(str(value)).quantize(Decimal("0.01"), rounding=ROUND_HALF_EVEN)


def audited(method):
    @wraps(method)
    def wrapper(self, amount, *args, **kwargs):
        amount = cents(amount)
        if self.closed:
            raise AccountClosed(self.owner)
        if amount <= 0:
            raise ValueError("amounts must be positive")
        result = method(self, amount, *args, **kwargs)
        self.history.append(Entry(method.__name__, amount, self.balance))
        return result

    return wrapper


class Entry(NamedTuple):
    what: str
    amount: Decimal
    balance: Decimal
    __str__ = lambda self: f"{self.what:<10}{self.amount:>10,}{self.balance:>12,}"


class Account(ABC):
    balance = Money()
    _numbers: ClassVar[Iterator[int]] = iter(range(1001, 10_000))

    def __init__(self, owner: str, opening=0):
        self.number = next(Account._numbers)
        self.owner = owner
        self.closed = False
        self.history: list[Entry] = []
        if opening:
            self.deposit(opening)

    @property
    @abstractmethod
    def available(self) -> Decimal: ...

    @audited
    def deposit(self, amount):
        self.balance += amount

    @audited
    def withdraw(self, amount):
        """Take money out."""
        if amount > self.available:
            raise InsufficientFunds(self, amount)
        self.balance -= amount

    def __format__(self, spec):
        return format(f"#{self.number} {self.owner}: {self.balance:,}", spec)

class Current(Account):
    def __init__(self, *args, overdraft=0, **kwargs):
        self.overdraft = cents(overdraft)
        super().__init__(*args, **kwargs)

    available = property(lambda self: self.balance + self.overdraft)


class Savings(Account):
    rate = Decimal("0.03")
    available = property(lambda self: self.balance)

    def accrue(self, since: date, until: date):
        if interest := self.balance * self.rate * (until - since).days / 365:
            self.deposit(interest)
        return self.balance


@contextmanager
def transaction(*accounts):
    before = [(a.balance, a.history.copy()) for a in accounts]
    try:
        yield
    except BankError:
        for a, (balance, history) in zip(accounts, before):
            a.balance, a.history[:] = balance, history
        raise


def transfer(amount, source, target):
    with transaction(source, target):
        target.deposit(amount)
        source.withdraw(amount)


ann, bob = Current("Ann", 100, overdraft=50), Savings("Bob", "1000.005")
assert isinstance(Account.balance, Money) and bob.balance == Decimal("1000.00")
transfer(120, ann, bob)
assert ann.balance == Decimal("-20.00") and ann.available == 30
try:
    transfer("30.01", ann, bob)
except InsufficientFunds as e:
    assert e.short == Decimal("50.01") and "Ann" in str(e)
assert bob.balance == 1120 and len(bob.history) == 2
assert bob.accrue(date(2023, 1, 1), date(2024, 1, 1)) == Decimal("1153.60")
for wrong in (lambda: ann.deposit(-1), lambda: ann.deposit(0), Account):
    try:
        wrong()
    except (ValueError, TypeError) as e:
        print(type(e).__name__, e)
bob.closed = True
try:
    transfer(1, ann, bob)
except AccountClosed as e:
    assert e.args == ("Bob",)
assert Account.withdraw.__doc__ == "Take money out." and Account.withdraw.__name__ == "withdraw"
assert f"{ann:>20}" == f"#{ann.number} Ann: -20.00".rjust(20) and bob.number == ann.number + 1
print(*bob.history, sep="\n")
