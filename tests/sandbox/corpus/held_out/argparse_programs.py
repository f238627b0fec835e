import argparse
import sys
from enum import Enum


class Level(Enum):
    LOW = "low"
    HIGH = "high"

    def __str__(self):
        return self.value


def positive(text):
    n = int(text)
    if n <= 0:
        raise argparse.ArgumentTypeError(f"{n} is not positive")
    return n


class KeyValue(argparse.Action):
    def __call__(self, parser, namespace, values, option_string=None):
        d = getattr(namespace, self.dest) or {}
        for v in values:
            k, sep, val = v.partition("=")
            if not sep:
                parser.error(f"expected KEY=VALUE, got {v!r}")
            d[k] = val
        setattr(namespace, self.dest, d)


def build():
    parser = argparse.ArgumentParser(prog="tool", description="Does things.", epilog="That's all.",
                                     exit_on_error=False)
    parser.add_argument("-v", "--verbose", action="count", default=0, help="say more")
    parser.add_argument("--version", action="version", version="%(prog)s 1.0")
    sub = parser.add_subparsers(dest="command", required=True)

    grep = sub.add_parser("grep", help="search")
    grep.add_argument("pattern")
    grep.add_argument("words", nargs="*")
    grep.add_argument("-i", "--ignore-case", action="store_true")
    grep.add_argument("-m", "--max", type=positive, default=10, metavar="N")
    grep.set_defaults(func=do_grep)

    setter = sub.add_parser("set")
    setter.add_argument("-o", dest="options", nargs="+", action=KeyValue)
    setter.add_argument("--level", type=Level, choices=list(Level), default=Level.LOW)
    group = setter.add_mutually_exclusive_group()
    group.add_argument("--on", dest="state", action="store_const", const=True)
    group.add_argument("--off", dest="state", action="store_const", const=False)
    setter.set_defaults(func=do_set)
    return parser


def do_grep(args):
    fold = str.lower if args.ignore_case else str
    found = [w for w in args.words if fold(args.pattern) in fold(w)]
    return found[:args.max]


def do_set(args):
    return args.options, args.level, args.state


def run(line):
    parser = build()
    try:
        args = parser.parse_args(line.split())
        return args.func(args)
    except SystemExit as e:
        return f"exit {e.code}"
    except argparse.ArgumentError as e:
        return f"error: {e}"


assert run("grep an banana apple CAN mango") == ["banana", "mango"]
assert run("grep -i an banana apple CAN mango -m 2") == ["banana", "CAN"]
assert run("set -o a=1 b=2 --on --level high") == ({"a": "1", "b": "2"}, Level.HIGH, True)
assert run("--version") == "exit 0"
print(run("grep x -m -3"))
print(build().parse_args(["-vv", "set", "--off"]))
sys.argv = ["tool", "-v", "grep", "x"]
ns, extra = build().parse_known_args()
assert ns.verbose == 1 and extra == [] and ns.max == 10 and vars(ns)["pattern"] == "x"
print(build().format_usage().strip())
print(build().format_help())
