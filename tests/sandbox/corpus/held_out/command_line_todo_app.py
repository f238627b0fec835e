'''
TODO app. Commands come from a list instead of the keyboard.
'''
import json
import sys
import datetime
from io import StringIO

DB = StringIO()          # pretend it is a file
NOW = datetime.datetime(2024, 5, 17, 8, 30)


class Todo:
    _next_id = 1

    def __init__(self, text, due=None, done=False, tags=None):
        self.id = Todo._next_id
        Todo._next_id += 1
        self.text, self.due, self.done, self.tags = text, due, done, set(tags or [])

    @property
    def overdue(self):
        return bool(self.due) and not self.done and self.due < NOW.date()

    def to_json(self):
        return {"text": self.text, "due": self.due and self.due.isoformat(), "done": self.done, "tags": sorted(self.tags)}

    @classmethod
    def from_json(cls, d):
        d["due"] = d["due"] and datetime.date.fromisoformat(d["due"])
        return cls(**d)

    def __str__(self):
        box = "[x]" if self.done else "[!]" if self.overdue else "[ ]"
        due = f" (due {self.due:%d %b})" if self.due else ""
        return f"{box} {self.id}. {self.text}{due} {' '.join('#' + t for t in sorted(self.tags))}".rstrip()


class App:
    def __init__(self, commands):
        self.todos = []
        self.commands = iter(commands)

    def prompt(self):
        line = next(self.commands, "quit")
        sys.stdout.write("todo> " + line + "\n")
        return line.split(maxsplit=1)

    def loop(self):
        while True:
            try:
                verb, *rest = self.prompt()
            except ValueError:
                continue
            if verb == "quit":
                break
            handler = getattr(self, f"do_{verb}", self.unknown)
            try:
                handler(*rest)
            except (StopIteration, ValueError, TypeError) as e:
                print(f"  error: {e or 'no such item'}", file=sys.stdout)

    def unknown(self, *rest):
        print("  ? try", ", ".join(sorted(n[3:] for n in dir(self) if n.startswith("do_"))))

    def _get(self, id):
        return next(t for t in self.todos if t.id == int(id))

    def do_add(self, text):
        words, due, tags = [], None, []
        for w in text.split():
            if w.startswith("#"):
                tags.append(w[1:])
            elif w.startswith("@"):
                days = {"today": 0, "tomorrow": 1, "yesterday": -1}[w[1:]] if w[1:].isalpha() else int(w[1:])
                due = NOW.date() + datetime.timedelta(days=days)
            else:
                words.append(w)
        self.todos.append(Todo(" ".join(words), due, tags=tags))

    def do_done(self, ids):
        for i in ids.split():
            self._get(i).done = True

    def do_rm(self, id):
        self.todos.remove(self._get(id))

    def do_list(self, tag=None):
        key = lambda t: (t.done, t.due or datetime.date.max, t.id)
        for t in sorted(self.todos, key=key):
            if tag is None or tag.lstrip("#") in t.tags:
                print(" ", t)

    def do_save(self):
        DB.seek(0)
        DB.truncate()
        json.dump([t.to_json() for t in self.todos], DB)
        print(f"  saved {DB.tell()} bytes")

    def do_load(self):
        DB.seek(0)
        self.todos = [Todo.from_json(d) for d in json.load(DB)]


app = App("""
add buy milk @tomorrow #shop
add pay rent @-2 #home #money
add call mum
list
done 1 3
save
rm 2
rm 99
rm abc
frobnicate
list #shop

add
load
list
quit
never reached
""".strip("\n").splitlines())
app.loop()
assert [t.text for t in app.todos] == ["buy milk", "pay rent", "call mum"]
assert [t.done for t in app.todos] == [True, False, True] and app.todos[1].overdue
assert next(app.commands) == "never reached" and app.todos[0].id == 4
