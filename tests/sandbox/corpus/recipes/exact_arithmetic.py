"""decimal contexts and fractions: recipes for money, pi, continued fractions."""
import math
from decimal import (ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal, DivisionByZero, Inexact,
                     InvalidOperation, getcontext, localcontext)
from fractions import Fraction
from itertools import islice


def moneyfmt(value, places=2, curr='', sep=',', dp='.', pos='', neg='-', trailneg=''):
    """Convert Decimal to a money formatted string.

    >>> moneyfmt(Decimal('-1234567.8901'), curr='$')
    '-$1,234,567.89'
    """
    q = Decimal(10) ** -places
    sign, digits, exp = value.quantize(q).as_tuple()
    result = []
    digits = list(map(str, digits))
    build, nxt = result.append, digits.pop
    if sign:
        build(trailneg)
    for i in range(places):
        build(nxt() if digits else '0')
    if places:
        build(dp)
    if not digits:
        build('0')
    i = 0
    while digits:
        build(nxt())
        i += 1
        if i == 3 and digits:
            i = 0
            build(sep)
    build(curr)
    build(neg if sign else pos)
    return ''.join(reversed(result))


def pi():
    """Compute Pi to the current precision."""
    getcontext().prec += 2
    three = Decimal(3)
    lasts, t, s, n, na, d, da = 0, three, 3, 1, 0, 0, 24
    while s != lasts:
        lasts = s
        n, na = n + na, na + 8
        d, da = d + da, da + 32
        t = (t * n) / d
        s += t
    getcontext().prec -= 2
    return +s


def exp(x):
    with localcontext() as ctx:
        ctx.prec += 2
        i, lasts, s, fact, num = 0, 0, 1, 1, 1
        while s != lasts:
            lasts = s
            i += 1
            fact *= i
            num *= x
            s += num / fact
    return +s


def split_bill(total, people):
    cent = Decimal('0.01')
    share = (total / people).quantize(cent, rounding=ROUND_DOWN)
    rest = int((total - share * people) / cent)
    return [share + cent] * rest + [share] * (people - rest)


def continued_fraction(x):
    x = Fraction(x)
    while True:
        whole = math.floor(x)
        yield whole
        if x == whole:
            return
        x = 1 / (x - whole)


def convergents(terms):
    h, h1, k, k1 = 1, 0, 0, 1
    for a in terms:
        h, h1 = a * h + h1, h
        k, k1 = a * k + k1, k
        yield Fraction(h, k)


def egyptian(fr):
    while fr.numerator > 1:
        d = -(-fr.denominator // fr.numerator)
        yield Fraction(1, d)
        fr -= Fraction(1, d)
    if fr:
        yield fr


def repeating(fr):
    """'0.1(6)' for 1/6"""
    whole, rem = divmod(fr.numerator, fr.denominator)
    digits, seen = "", {}
    while rem and rem not in seen:
        seen[rem] = len(digits)
        d, rem = divmod(rem * 10, fr.denominator)
        digits += str(d)
    if not rem:
        return f"{whole}.{digits or 0}"
    at = seen[rem]
    return f"{whole}.{digits[:at]}({digits[at:]})"


assert moneyfmt(Decimal('-1234567.8901'), curr='$') == '-$1,234,567.89'
assert moneyfmt(Decimal('123456789'), sep=' ') == '123 456 789.00'
assert moneyfmt(Decimal('-.02'), neg='<', trailneg='>') == '<0.02>'
assert str(pi()) == '3.141592653589793238462643383'
assert str(exp(Decimal(1))) == '2.718281828459045235360287471'
with localcontext() as ctx:
    ctx.prec = 50
    assert str(Decimal(2).sqrt())[:20] == '1.414213562373095048'
    assert str(Decimal(1) / 3).count('3') == 50
assert getcontext().prec == 28
assert Decimal('0.1') + Decimal('0.2') == Decimal('0.3') != 0.1 + 0.2
assert Decimal('2.675').quantize(Decimal('.01'), ROUND_HALF_UP) == Decimal('2.68')
assert Decimal('2.665').quantize(Decimal('.01'), ROUND_HALF_EVEN) == Decimal('2.66')
assert split_bill(Decimal('100'), 3) == [Decimal('33.34'), Decimal('33.33'), Decimal('33.33')]
for bad, error in [(lambda: Decimal(1) / 0, DivisionByZero), (lambda: Decimal('x'), InvalidOperation)]:
    try:
        bad()
    except error as e:
        assert isinstance(e, ArithmeticError)
    else:
        raise AssertionError
strict = Context(prec=4, traps=[Inexact])
try:
    strict.divide(1, 3)
except Inexact:
    assert strict.flags[Inexact]
assert f"{Decimal('1234.5'):,.2f}" == '1,234.50' and Decimal('1E+3').normalize() == 1000
assert list(continued_fraction(Fraction(415, 93))) == [4, 2, 6, 7]
assert list(islice(convergents(continued_fraction(math.pi)), 4)) == [3, Fraction(22, 7), Fraction(333, 106), Fraction(355, 113)]
assert [f.denominator for f in egyptian(Fraction(5, 121))] == [25, 757, 763309, 873960180913, 1527612795642093418846225]
assert [repeating(Fraction(*p)) for p in ((1, 6), (1, 7), (7, 2), (3, 1))] == ['0.1(6)', '0.(142857)', '3.5', '3.0']
assert Fraction('3.14') == Fraction(157, 50) and Fraction(math.e).limit_denominator(100) == Fraction(193, 71)
assert sum(Fraction(1, n) for n in range(1, 6)) == Fraction(137, 60)
assert f"{Fraction(6, 4)}" == "3/2" and round(Fraction(7, 2)) == 4 and Fraction(1, 2) ** -2 == 4
print(pi())
