# School arithmetic on lists of digits, checked against the real integers.

BASE = 10


def to_digits(n):
    digits = []
    while n > 0:
        n, last = divmod(n, BASE)
        digits.append(last)
    return digits


def to_text(digits):
    if len(digits) == 0:
        return "0"
    text = ""
    for d in digits:
        text = str(d) + text
    return text


def trim(digits):
    while digits and digits[-1] == 0:
        del digits[-1]
    return digits


def add(a, b):
    result = []
    carry = 0
    i = 0
    while i < len(a) or i < len(b) or carry:
        total = carry
        if i < len(a):
            total += a[i]
        if i < len(b):
            total += b[i]
        result.append(total % BASE)
        carry = total // BASE
        i += 1
    return result


def subtract(a, b):
    result = a[:]
    for i in range(len(b)):
        result[i] -= b[i]
    for i in range(len(result)):
        if result[i] < 0:
            if i + 1 == len(result):
                raise OverflowError("would be negative")
            result[i] += BASE
            result[i + 1] -= 1
    return trim(result)


def multiply(a, b):
    result = [0] * (len(a) + len(b))
    for i in range(len(a)):
        carry = 0
        for j in range(len(b)):
            carry += result[i + j] + a[i] * b[j]
            result[i + j] = carry % BASE
            carry //= BASE
        result[i + len(b)] += carry
    return trim(result)


def karatsuba(a, b):
    if len(a) < 8 or len(b) < 8:
        return multiply(a, b)
    half = max(len(a), len(b)) // 2
    low_a, high_a = trim(a[:half]), a[half:]
    low_b, high_b = trim(b[:half]), b[half:]
    low = karatsuba(low_a, low_b)
    high = karatsuba(high_a, high_b)
    both = karatsuba(add(low_a, high_a), add(low_b, high_b))
    middle = subtract(subtract(both, low), high)
    result = add(low, [0] * half + middle)
    return trim(add(result, [0] * (2 * half) + high))


def divide_small(a, n):
    rest = 0
    result = []
    for d in reversed(a):
        rest = rest * BASE + d
        result.insert(0, rest // n)
        rest %= n
    return trim(result), rest


def factorial(n):
    result = [1]
    k = 2
    while k <= n:
        result = multiply(result, to_digits(k))
        k += 1
    return result


x = 98765432109876543210987654321
y = 12345678901234567890
assert to_text(add(to_digits(x), to_digits(y))) == str(x + y)
assert to_text(subtract(to_digits(x), to_digits(y))) == str(x - y)
assert to_text(multiply(to_digits(x), to_digits(y))) == str(x * y)
assert to_text(multiply(to_digits(x), to_digits(0))) == "0"
assert karatsuba(to_digits(x ** 3), to_digits(y ** 2)) == to_digits(x ** 3 * y ** 2)
quotient, rest = divide_small(to_digits(x), 97)
assert (int(to_text(quotient)), rest) == divmod(x, 97)
assert to_text(factorial(25)) == "15511210043330985984000000"
try:
    subtract([1], [2])
except OverflowError as problem:
    print("as expected:", problem)
else:
    assert False
print("50! has", len(factorial(50)), "digits")
