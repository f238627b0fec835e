"""Double-entry bookkeeping with Decimal."""
from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import date
from decimal import ROUND_HALF_EVEN, Decimal
from enum import Enum
from itertools import count
from typing import Iterable, NamedTuple

CENT = Decimal("0.01")


class BankError(Exception):
    """Base of everything that can go wrong at the bank."""


class InsufficientFunds(BankError):
    def __init__(self, account: Account, needed: Decimal) -> None:
        self.account, self.needed = account, needed
        super().__init__(f"{account.name}: balance {account.balance} is less than {needed}")


class Unbalanced(BankError):
    pass


class Kind(Enum):
    ASSET = 1
    LIABILITY = -1
    INCOME = -2
    EXPENSE = 2

    @property
    def sign(self) -> int:
        return 1 if self.value > 0 else -1


class Posting(NamedTuple):
    account: Account
    amount: Decimal  # debit is positive


@dataclass(frozen=True)
class Entry:
    number: int
    day: date
    text: str
    postings: tuple[Posting, ...]

    def __post_init__(self):
        total = sum(p.amount for p in self.postings)
        if total:
            raise Unbalanced(f"entry {self.number} is off by {total}")


@dataclass(eq=False)
class Account:
    name: str
    kind: Kind = Kind.ASSET
    overdraft: Decimal = Decimal(0)
    _postings: list[Decimal] = field(default_factory=list, repr=False)

    @property
    def balance(self) -> Decimal:
        return sum(self._postings, Decimal()) * self.kind.sign

    def check(self, amount: Decimal) -> None:
        if self.kind is Kind.ASSET and self.balance + amount < -self.overdraft:
            raise InsufficientFunds(self, -amount)


class Ledger:
    def __init__(self) -> None:
        self.accounts: dict[str, Account] = {}
        self.journal: list[Entry] = []
        self._numbers = count(1)

    def open(self, name: str, kind: Kind = Kind.ASSET, **options) -> Account:
        if name in self.accounts:
            raise BankError(f"account {name!r} exists")
        account = self.accounts[name] = Account(name, kind, **options)
        return account

    def __getitem__(self, name: str) -> Account:
        try:
            return self.accounts[name]
        except KeyError as exc:
            raise BankError(f"no account {name!r}") from exc

    def post(self, day: date, text: str, postings: Iterable[tuple[str, Decimal | str | int]]) -> Entry:
        rows = tuple(Posting(self[name], Decimal(amount).quantize(CENT, ROUND_HALF_EVEN)) for name, amount in postings)
        entry = Entry(next(self._numbers), day, text, rows)
        for account, amount in rows:
            account.check(amount)
        for account, amount in rows:
            account._postings.append(amount)
        self.journal.append(entry)
        return entry

    def transfer(self, source: str, target: str, amount, day=date(2024, 1, 1), text="transfer") -> Entry:
        amount = Decimal(amount)
        if amount <= 0:
            raise ValueError("amount must be positive")
        return self.post(day, text, [(target, amount), (source, -amount)])

    def reverse(self, entry: Entry) -> Entry:
        return self.post(entry.day, f"reversal of {entry.number}", [(p.account.name, -p.amount) for p in entry.postings])

    def accrue(self, name: str, rate: str, day: date) -> None:
        interest = self[name].balance * Decimal(rate) / 12
        self.post(day, "interest", [("interest expense", interest), (name, -interest)])

    def trial_balance(self) -> Decimal:
        return sum((a.balance * a.kind.sign for a in self.accounts.values()), Decimal())

    def monthly(self, name: str) -> dict[str, Decimal]:
        totals: dict[str, Decimal] = defaultdict(Decimal)
        for entry in self.journal:
            for account, amount in entry.postings:
                if account.name == name:
                    totals[f"{entry.day:%Y-%m}"] += amount
        return dict(totals)

    def statement(self, name: str) -> str:
        lines, balance = [f"{name:^40}"], Decimal()
        account = self[name]
        for e in self.journal:
            for p in e.postings:
                if p.account is account:
                    balance += p.amount * account.kind.sign
                    lines.append(f"{e.number:>3} {e.day:%d.%m.} {e.text:<14.14}{p.amount:>+8,.2f}{balance:>9,.2f}")
        return "\n".join(lines)


def main() -> None:
    bank = Ledger()
    bank.open("vault")
    bank.open("cash", overdraft=Decimal(50))
    for person in "ann", "bob":
        bank.open(person, Kind.LIABILITY)
    bank.open("fees", Kind.INCOME)
    bank.open("interest expense", Kind.EXPENSE)

    bank.transfer("ann", "vault", "1000.00", text="deposit")
    bank.post(date(2024, 1, 5), "pay bob", [("ann", 101), ("bob", -100), ("fees", -1)])
    bank.accrue("ann", "0.0365", date(2024, 2, 1))
    assert bank["ann"].balance == Decimal("901.73"), bank["ann"].balance
    assert bank["bob"].balance == 100 and bank["fees"].balance == 1
    assert bank.trial_balance() == 0
    assert bank.monthly("ann") == {"2024-01": Decimal(-899), "2024-02": Decimal("-2.73")}

    before = len(bank.journal)
    for action, error in [
        (lambda: bank.transfer("vault", "ann", 5000), InsufficientFunds),
        (lambda: bank.transfer("vault", "ann", -1), ValueError),
        (lambda: bank.transfer("vault", "zoe", 1), BankError),
        (lambda: bank.post(date.min, "x", [("ann", 1), ("bob", 1)]), Unbalanced),
        (lambda: bank.open("ann"), BankError),
    ]:
        try:
            action()
        except error as exc:
            print(type(exc).__name__, "-", exc)
        else:
            raise AssertionError(error)
    assert len(bank.journal) == before and bank.trial_balance() == 0
    entry = bank.transfer("cash", "vault", 50)
    assert bank["cash"].balance == -50
    bank.reverse(entry)
    assert bank["cash"].balance == 0
    text = bank.statement("ann")
    assert text.splitlines()[2] == "  2 05.01. pay bob        +101.00   899.00", text


if __name__ == "__main__":
    main()
