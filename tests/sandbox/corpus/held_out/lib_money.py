from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, ROUND_HALF_EVEN, getcontext, localcontext, InvalidOperation
from functools import total_ordering
from typing import Final, Iterable, Union

Number = Union[int, str, Decimal]

EXPONENTS: Final[dict[str, int]] = {"EUR": 2, "USD": 2, "JPY": 0, "BHD": 3}


class CurrencyMismatch(TypeError):
    pass


@total_ordering
@dataclass(frozen=True)
class Money:
    amount: Decimal
    currency: str = "EUR"

    def __post_init__(self) -> None:
        if self.currency not in EXPONENTS:
            raise ValueError(f"unknown currency {self.currency!r}")
        quantum = Decimal(1).scaleb(-EXPONENTS[self.currency])
        object.__setattr__(self, "amount", Decimal(self.amount).quantize(quantum, ROUND_HALF_EVEN))

    @classmethod
    def parse(cls, text: str) -> Money:
        currency, _, amount = text.partition(" ")
        try:
            return cls(Decimal(amount.replace(",", "")), currency)
        except InvalidOperation:
            raise ValueError(f"not an amount: {amount!r}") from None

    def _check(self, other: object) -> Money:
        if not isinstance(other, Money):
            raise TypeError(f"cannot combine Money and {type(other).__name__}")
        if other.currency != self.currency:
            raise CurrencyMismatch(f"{self.currency} != {other.currency}")
        return other

    def __add__(self, other: Money) -> Money:
        return Money(self.amount + self._check(other).amount, self.currency)

    def __radd__(self, other: Money | int) -> Money:
        return self if other == 0 else self.__add__(other)  # for sum()

    def __sub__(self, other: Money) -> Money:
        return Money(self.amount - self._check(other).amount, self.currency)

    def __mul__(self, factor: Number) -> Money:
        return Money(self.amount * Decimal(factor), self.currency)

    __rmul__ = __mul__

    def __neg__(self) -> Money:
        return self * -1

    def __lt__(self, other: Money) -> bool:
        return self.amount < self._check(other).amount

    def __bool__(self) -> bool:
        return bool(self.amount)

    def __str__(self) -> str:
        return f"{self.currency} {self.amount:,}"

    def allocate(self, ratios: Iterable[int]) -> list[Money]:
        ratios = list(ratios)
        unit = Decimal(1).scaleb(-EXPONENTS[self.currency])
        total, left = sum(ratios), self.amount
        shares = []
        for ratio in ratios:
            share = (self.amount * ratio / total).quantize(unit, "ROUND_DOWN")
            shares.append(share)
            left -= share
        for i in range(int(left / unit)):
            shares[i] += unit
        return [Money(s, self.currency) for s in shares]


price = Money.parse("EUR 1,234.565")
assert str(price) == "EUR 1,234.56"
assert price * 2 == 2 * price == Money("2469.12")
assert sum([Money(1), Money("2.50")]) == Money("3.5")
parts = Money(100).allocate([1, 1, 1])
print(*parts, sep="; ")
assert parts[0] == Money("33.34") and sum(parts) == Money(100)
assert Money(3, "JPY") < Money(4, "JPY") and max(Money(1), Money(2)) >= Money(2)
for bad in (lambda: Money(1) + Money(1, "USD"), lambda: Money(1, "XXX"),
            lambda: Money.parse("EUR ten"), lambda: Money(1) + 5):
    try:
        bad()
    except (TypeError, ValueError) as e:
        print(f"{type(e).__name__}: {e}")
assert not Money(0) and -Money(1) == Money(-1)
assert len({Money(1), Money("1.00"), Money(1, "USD")}) == 2
with localcontext() as ctx:
    ctx.prec = 6
    assert Decimal(1) / 3 == Decimal("0.333333")
assert getcontext().prec == 28
