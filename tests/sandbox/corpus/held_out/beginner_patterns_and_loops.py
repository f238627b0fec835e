# Practice problems, week 1 to 4

# triangle
n = 5
for i in range(1, n + 1):
    print(" " * (n - i) + "* " * i)

# number pyramid
for i in range(1, 6):
    for j in range(i):
        print(i, end=" ")
    print()

# diamond with while
i = 1
while i <= 3:
    print(" " * (3 - i) + "*" * (2 * i - 1))
    i += 1
i = 2
while i >= 1:
    print(" " * (3 - i) + "*" * (2 * i - 1))
    i -= 1

# armstrong numbers
def is_armstrong(num):
    sum = 0
    temp = num
    order = len(str(num))
    while temp > 0:
        digit = temp % 10
        sum += digit ** order
        temp //= 10
    return num == sum

list = []
for x in range(1, 1000):
    if is_armstrong(x):
        list.append(x)
print("Armstrong numbers:", list)
assert list == [1, 2, 3, 4, 5, 6, 7, 8, 9, 153, 370, 371, 407]
del list

# vowels
str1 = "Programming is fun"
count = 0
for ch in str1:
    if ch in "aeiouAEIOU":
        count = count + 1
print("Number of vowels:", count)
assert count == 5

# second largest
nums = [12, 35, 1, 10, 34, 35]
first = second = float('-inf')
for x in nums:
    if x > first:
        second = first
        first = x
    elif first > x > second:
        second = x
assert second == 34

# calculator with dictionary of functions
def add(x, y): return x + y
def sub(x, y): return x - y
def mul(x, y): return x * y
def div(x, y):
    if y == 0:
        return "Error! Division by zero."
    return x / y
operations = {"+": add, "-": sub, "*": mul, "/": div}
for a, op, b in [(1, "+", 2), (8, "/", 0), (6, "*", 7)]:
    print(a, op, b, "=", operations[op](a, b))

# shopping list with tuples
cart = [("milk", 2, 1.5), ("bread", 1, 2.25), ("eggs", 12, 0.2)]
total = 0
print("Item\tQty\tPrice")
for name, qty, price in cart:
    print(name, qty, price, sep="\t")
    total += qty * price
print("Total:", total)
assert abs(total - 7.65) < 1e-9

# matrix addition with nested loops
X = [[1, 2], [3, 4]]
Y = [[5, 6], [7, 8]]
result = [[0, 0], [0, 0]]
for i in range(len(X)):
    for j in range(len(X[0])):
        result[i][j] = X[i][j] + Y[i][j]
for r in result:
    print(r)
assert result == [[6, 8], [10, 12]]

# password check with flags and break
tries = ["abc", "Abcdef", "Abcdef1"]
for pw in tries:
    has_upper = False
    has_digit = False
    for c in pw:
        if c.isupper():
            has_upper = True
        if c.isdigit():
            has_digit = True
    if len(pw) >= 6 and has_upper and has_digit:
        print(pw, "is OK")
        break
    else:
        print(pw, "is weak")
        continue
assert pw == "Abcdef1"

# swap, ternary, chained comparison, in-place ops
a = 5; b = 7
a, b = b, a
biggest = a if a > b else b
print("Biggest: " + str(biggest), 1 < a < 10, not False)
a **= 2; a %= 10; a //= 2
assert a == 4
x = y = []
x.append(1)
print(y, x is y, "done" if y else "empty")
