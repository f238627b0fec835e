import argparse
import shlex
import sys
import io
from contextlib import redirect_stderr, redirect_stdout


def build_parser():
    p = argparse.ArgumentParser(prog="todo", description="A todo list.")
    p.add_argument("--verbose", "-v", action="count", default=0)
    p.add_argument("--version", action="version", version="%(prog)s 1.2")
    sub = p.add_subparsers(dest="command", required=True)
    add = sub.add_parser("add", help="add an item")
    add.add_argument("text", nargs="+")
    add.add_argument("-p", "--priority", type=int, choices=range(1, 4), default=2)
    done = sub.add_parser("done")
    done.add_argument("index", type=int)
    ls = sub.add_parser("list")
    ls.add_argument("--sort", choices=["priority", "text"], default="text")
    return p


class Todo:
    def __init__(self):
        self.items = []

    def run(self, line):
        args = build_parser().parse_args(shlex.split(line))
        return getattr(self, f"do_{args.command}")(args)

    def do_add(self, args):
        self.items.append({"text": " ".join(args.text), "priority": args.priority, "done": False})
        return len(self.items)

    def do_done(self, args):
        self.items[args.index - 1]["done"] = True

    def do_list(self, args):
        return ["[{}] {}".format("x" if i["done"] else " ", i["text"]) for i in sorted(self.items, key=lambda i: i[args.sort])]


def main(argv=None):
    t = Todo()
    assert t.run("add buy milk -p 1") == 1
    assert t.run("-vv add 'write code'") == 2
    t.run("add call mum")
    t.run("done 2")
    lines = t.run("list")
    assert lines == ["[ ] buy milk", "[ ] call mum", "[x] write code"], lines
    assert t.run("list --sort priority")[0] == "[ ] buy milk"
    err = io.StringIO()
    with redirect_stderr(err):
        try:
            t.run("add x -p 9")
        except SystemExit as e:
            assert e.code == 2
        else:
            raise AssertionError
    assert "invalid choice: " in err.getvalue()
    out = io.StringIO()
    with redirect_stdout(out):
        try:
            t.run("--version")
        except SystemExit as e:
            assert e.code == 0
    assert out.getvalue() == "todo 1.2\n"
    usage = build_parser().format_usage()
    assert usage.startswith("usage: todo")
    ns, rest = build_parser().parse_known_args(["list", "--zzz"])
    assert rest == ["--zzz"] and ns.command == "list"
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    main()
