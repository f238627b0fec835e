# the smallest classics, several ways each

# FizzBuzz
for i in range(1, 16):
    if i % 15 == 0:
        print("FizzBuzz")
    elif i % 3 == 0:
        print("Fizz")
    elif i % 5 == 0:
        print("Buzz")
    else:
        print(i)
golf = ["Fizz"*(i%3<1)+"Buzz"*(i%5<1)or i for i in range(1,16)]
assert golf[14] == "FizzBuzz" and golf[6] == 7

# 100 doors
doors = [False] * 101
for step in range(1, 101):
    for door in range(step, 101, step):
        doors[door] = not doors[door]
open_doors = [i for i, d in enumerate(doors) if d]
print(open_doors)
assert open_doors == [n * n for n in range(1, 11)]

# 99 bottles, last three
def bottles(n):
    return "%s bottle%s" % (n or "no more", "s" * (n != 1))
for n in range(3, 0, -1):
    print(f"{bottles(n).capitalize()} of beer on the wall, take one down, {bottles(n - 1)} left")
assert bottles(0) == "no more bottles"

# Temperature table
def k2c(k): return k - 273.15
def k2f(k): return k * 1.8 - 459.67
for k in (0, 273.15, 300):
    print("%8.2fK %8.2fC %8.2fF" % (k, k2c(k), k2f(k)))

# swap, sum digits, reverse, gcd
a, b = 1, 2
a, b = b, a
assert (a, b) == (2, 1)
def gcd(a, b):
    while b: a, b = b, a % b
    return a
assert gcd(1071, 462) == 21
assert sum(divmod(47, 10)) == 11
assert int(str(12345)[::-1]) == 54321

# guess the number, played by bisection
low, high, secret, guesses = 1, 100, 37, []
while True:
    guess = (low + high) // 2
    guesses.append(guess)
    if guess < secret:
        low = guess + 1
    elif guess > secret:
        high = guess - 1
    else:
        print("found", guess, "after", len(guesses), "guesses")
        break
assert len(guesses) <= 7

# leap years, primes with for/else
leaps = [y for y in range(1890, 1912) if (y % 4 == 0 and y % 100) or y % 400 == 0]
assert leaps == [1892, 1896, 1904, 1908]
for n in range(2, 20):
    for d in range(2, n):
        if n % d == 0:
            break
    else:
        print(n, end=" ")
print()

# multiplication table
print("  x|" + "".join("%3d" % i for i in range(1, 8)))
print("---+" + "---" * 7)
for i in range(1, 8):
    print("%3d|" % i + "".join("%3d" % (i * j) if j >= i else "   " for j in range(1, 8)))

# sorting by hand
def insertion(seq):
    for i in range(1, len(seq)):
        j, x = i, seq[i]
        while j > 0 and seq[j - 1] > x:
            seq[j] = seq[j - 1]
            j -= 1
        seq[j] = x
    return seq
qs = lambda l: qs([x for x in l[1:] if x < l[0]]) + [l[0]] + qs([x for x in l[1:] if x >= l[0]]) if l else []
data = [5, 2, 9, 1, 5, 6]
assert insertion(data[:]) == qs(data) == sorted(data)
del data[1:3]
data[len(data):] = [0]
assert data == [5, 1, 5, 6, 0]
