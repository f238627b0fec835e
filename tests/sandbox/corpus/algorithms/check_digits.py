# Check digits: Luhn, ISBN, EAN, IBAN, Verhoeff -- old style

import string


def luhn(number):
    digits = [int(c) for c in number if c.isdigit()]
    odd = digits[-1::-2]
    even = [sum(divmod(2 * d, 10)) for d in digits[-2::-2]]
    return (sum(odd) + sum(even)) % 10 == 0


def luhn_digit(partial):
    for d in string.digits:
        if luhn(partial + d):
            return d


def isbn10(code):
    code = code.replace('-', '').replace(' ', '')
    if len(code) != 10:
        return False
    total = 0
    for i in range(10):
        c = code[i]
        if c == 'X' and i == 9:
            value = 10
        elif c in string.digits:
            value = int(c)
        else:
            return False
        total = total + (10 - i) * value
    return total % 11 == 0


def ean13(code):
    code = ''.join(filter(str.isdigit, code))
    weights = [1, 3] * 6 + [1]
    return len(code) == 13 and sum(w * int(c) for w, c in zip(weights, code)) % 10 == 0


def isbn10_to_13(code):
    body = '978' + code.replace('-', '')[:-1]
    for last in range(10):
        if ean13(body + str(last)):
            return body + str(last)
    raise RuntimeError('unreachable')


def iban(code):
    code = code.replace(' ', '').upper()
    turned = code[4:] + code[:4]
    number = ''.join(str(int(c, 36)) for c in turned)
    return int(number) % 97 == 1


class Verhoeff(object):
    """Built from the symmetries of the pentagon."""
    mult = [[(i + j) % 5 if i < 5 and j < 5
             else 5 + (i + j) % 5 if i < 5
             else 5 + (i - j) % 5 if j < 5
             else (i - j) % 5 for j in range(10)] for i in range(10)]
    start = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4]

    @classmethod
    def _power(cls, n, x):
        for _ in range(n % 8):
            x = cls.start[x]
        return x

    @classmethod
    def check(cls, number):
        c = 0
        for i, digit in enumerate(reversed(number)):
            c = cls.mult[c][cls._power(i, int(digit))]
        return c == 0

    @classmethod
    def complete(cls, number):
        return next(number + d for d in string.digits if cls.check(number + d))


for number in ('49927398716', '1234567812345670', '4539 1488 0343 6467'):
    assert luhn(number), number
assert not luhn('49927398717')
assert luhn_digit('7992739871') == '3'

assert isbn10('0-306-40615-2') and isbn10('080442957X')
assert not isbn10('0-306-40615-3') and not isbn10('X' * 10) and not isbn10('12')
assert isbn10_to_13('0-306-40615-2') == '9780306406157'
assert ean13('978-0-306-40615-7') and not ean13('978-0-306-40615-8')

assert iban('GB82 WEST 1234 5698 7654 32') and not iban('GB82 TEST 1234 5698 7654 32')

assert Verhoeff.complete('236') == '2363'
full = Verhoeff.complete('31415926')
assert Verhoeff.check(full)
swaps = 0
for i in range(len(full) - 1):
    twisted = full[:i] + full[i + 1] + full[i] + full[i + 2:]
    if twisted != full:
        swaps += 1
        assert not Verhoeff.check(twisted), twisted
print('%s is fine; %d swaps caught; Luhn digit %s' % (full, swaps, luhn_digit('7992739871')))
