#!/usr/bin/env python3
"""usage: inventory (add NAME QTY [PRICE] | remove NAME | list [--json] | report) ..."""
import json
import shlex
import sys
from typing import Callable

stock: dict[str, dict] = {}
commands: dict[str, Callable] = {}


class UsageError(Exception):
    pass


def cmd(func):
    commands[func.__name__.rstrip("_")] = func
    return func


def parse_flags(args):
    flags, rest = {}, []
    it = iter(args)
    for a in it:
        if a == "--":
            rest.extend(it)
        elif a.startswith("--"):
            key, eq, value = a[2:].partition("=")
            flags[key] = value if eq else True
        elif a.startswith("-") and len(a) > 1 and not a[1].isdigit():
            for ch in a[1:]:
                flags[ch] = True
        else:
            rest.append(a)
    return flags, rest


@cmd
def add(name, qty, price="1.0", **flags):
    item = stock.setdefault(name, {"qty": 0, "price": 0.0})
    item["qty"] += int(qty)
    item["price"] = float(price)
    if "v" in flags or "verbose" in flags:
        print(f"{name}: {item['qty']} @ {item['price']:.2f}")


@cmd
def remove(name, **flags):
    if stock.pop(name, None) is None and not flags.get("force"):
        raise KeyError(name)


@cmd
def list_(**flags):
    if flags.get("json"):
        print(json.dumps(stock, sort_keys=True))
    else:
        for name in sorted(stock, key=str.lower):
            print(f"  {name:.<20}{stock[name]['qty']:.>5}")


@cmd
def report(**flags):
    total = sum(i["qty"] * i["price"] for i in stock.values())
    print("TOTAL %10.2f" % total)
    return total


def main(argv):
    prog, *args = argv
    if not args or args[0] in ("-h", "--help"):
        print(__doc__)
        return 0
    name, *rest = args
    flags, positional = parse_flags(rest)
    try:
        if name not in commands:
            raise UsageError(f"unknown command {name!r}")
        commands[name](*positional, **flags)
    except UsageError as e:
        print(f"{prog}: {e}", file=sys.stderr)
        return 2
    except KeyError as e:
        print(f"{prog}: not found: {e}")
        return 1
    except (TypeError, ValueError) as e:
        print(f"{prog}: {e}")
        return 2
    return 0


session = """
inventory --help
inventory add apple 10 0.5 -v
inventory add "red pear" 3 --verbose
inventory add apple 5 .75
inventory add fig many
inventory add
inventory list
inventory list --json
inventory remove kiwi
inventory remove kiwi --force
inventory remove -- "red pear"
inventory report
inventory fly
"""
codes = []
for line in session.strip().splitlines():
    print("$", line)
    sys.argv = shlex.split(line)
    codes.append(main(sys.argv))
print(codes)
assert codes == [0, 0, 0, 0, 2, 2, 0, 0, 1, 0, 0, 0, 2]
assert report() == 15 * .75
