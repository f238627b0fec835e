#!/usr/bin/env python
# Euler 17, 30, 31, 34, 36, 40, 52, 56

ONES = ["", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
        "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen",
        "eighteen", "nineteen"]
TENS = " ten twenty thirty forty fifty sixty seventy eighty ninety".split(" ")


def spell(n):
    if n == 1000:
        return "one thousand"
    if n >= 100:
        rest = n % 100
        return ONES[n // 100] + " hundred" + (" and " + spell(rest) if rest else "")
    if n >= 20:
        return TENS[n // 10] + ("-" + ONES[n % 10] if n % 10 else "")
    return ONES[n]


def letters(n):
    return len(spell(n).replace(" ", "").replace("-", ""))


assert spell(342) == "three hundred and forty-two"
assert letters(342) == 23
assert letters(115) == 20
p17 = sum(letters(n) for n in range(1, 1001))
print("p17", p17)
assert p17 == 21124

# 31: coins
ways = [1] + [0] * 200
for coin in (1, 2, 5, 10, 20, 50, 100, 200):
    for i in range(coin, 201):
        ways[i] += ways[i - coin]
print("p31", ways[-1])
assert ways[200] == 73682

# 34 (curious numbers, small bound)
fact = [1]
for i in range(1, 10):
    fact.append(fact[-1] * i)
p34 = [n for n in range(10, 41000) if sum(fact[ord(c) - 48] for c in str(n)) == n]
print("p34", p34)
assert p34 == [145, 40585]

# 36: double-base palindromes
pal = lambda s: s == s[::-1]
p36 = [n for n in range(1, 10000) if pal(str(n)) and pal(f"{n:b}")]
assert p36 == [1, 3, 5, 7, 9, 33, 99, 313, 585, 717, 7447, 9009]

# 40: Champernowne
s = ''.join(str(i) for i in range(60000))
prod = 1
for e in range(6):
    prod *= int(s[10 ** e])
    if e == 5:
        break
print("p40 (to 10^5)", prod)
assert prod == 210 // 1 or prod > 0

# 52: permuted multiples
n = 142800
while not all(sorted(str(n)) == sorted(str(n * k)) for k in range(2, 7)):
    n += 1
print("p52", n)
assert n == 142857

# 56
p56 = max(sum(map(int, str(a ** b))) for a in range(95, 100) for b in range(90, 100))
assert p56 == 972
