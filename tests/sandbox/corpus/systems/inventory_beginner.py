# My first inventory program. Written for class, week 6.

stock = {}
prices = {}
history = []
low_limit = 5
total_sold = 0

def add_item(name, amount, price):
    global stock
    if name in stock:
        stock[name] = stock[name] + amount
    else:
        stock[name] = amount
    prices[name] = price
    history.append("added " + str(amount) + " " + name)

def remove_item(name, amount):
    global total_sold
    if not name in stock:
        print("Sorry, we don't have any", name)
        return False
    if stock[name] < amount:
        print("Sorry, only", stock[name], name, "left")
        return False
    stock[name] -= amount
    total_sold = total_sold + amount * prices[name]
    history.append("sold " + str(amount) + " " + name)
    if stock[name] == 0:
        del stock[name]
    return True

def find_low():
    result = []
    for name in stock:
        if stock[name] < low_limit:
            result.append(name)
    result.sort()
    return result

def total_value():
    total = 0
    for name, amount in stock.items():
        total += amount * prices[name]
    return total

def most_expensive():
    best = None
    for name in stock.keys():
        if best == None or prices[name] > prices[best]:
            best = name
    return best

def apply_discount(percent):
    for name in prices:
        prices[name] = round(prices[name] * (100 - percent) / 100, 2)

def print_report():
    print("=" * 30)
    print("ITEM".ljust(12) + "QTY".rjust(6) + "PRICE".rjust(12))
    print("-" * 30)
    i = 0
    names = sorted(stock)
    while i < len(names):
        n = names[i]
        print(n.ljust(12) + str(stock[n]).rjust(6) + ("%.2f" % prices[n]).rjust(12))
        i = i + 1
    print("-" * 30)
    print("Total value: %.2f" % total_value())

def do_command(line):
    parts = line.split()
    if len(parts) == 0:
        return "?"
    command = parts[0].lower()
    if command == "add":
        try:
            add_item(parts[1], int(parts[2]), float(parts[3]))
        except IndexError:
            return "usage: add NAME AMOUNT PRICE"
        except ValueError as err:
            return "bad number: " + str(err)
        else:
            return "ok"
    elif command == "sell":
        if remove_item(parts[1], int(parts[2])):
            return "ok"
        return "failed"
    elif command == "low":
        return ", ".join(find_low()) or "nothing"
    elif command == "undo":
        if history == []:
            return "nothing to undo"
        last = history.pop().split()
        if last[0] == "added":
            stock[last[2]] -= int(last[1])
        else:
            stock[last[2]] = stock.get(last[2], 0) + int(last[1])
        return "undid " + " ".join(last)
    else:
        return "unknown command " + repr(command)

script = """add apple 10 0.5
add pear 3 0.75
add melon 2 3.20
sell apple 4
sell apple 100
sell kiwi 1
low
add plum x 3
add plum
dance
sell melon 2
undo"""

answers = []
for line in script.split("\n"):
    answers.append(do_command(line))

assert answers == ["ok", "ok", "ok", "ok", "failed", "failed", "melon, pear",
                   "bad number: invalid literal for int() with base 10: 'x'",
                   "usage: add NAME AMOUNT PRICE", "unknown command 'dance'", "ok", "undid sold 2 melon"], answers
assert stock == {"apple": 6, "pear": 3, "melon": 2}
assert abs(total_value() - 11.65) < 0.001
assert most_expensive() == "melon"
assert total_sold == 4 * 0.5 + 2 * 3.2
apply_discount(10)
assert prices["melon"] == 2.88
print_report()
assert len(history) == 4
assert do_command("") == "?"
