"""A tiny text adventure: rooms, things, and commands found by their names."""
from __future__ import annotations

import textwrap
from collections import ChainMap
from dataclasses import dataclass, field


class GameOver(Exception):
    won = property(lambda self: self.args[0])

@dataclass
class Thing:
    name: str
    text: str = "Nothing special."
    fixed: bool = False

@dataclass
class Room:
    name: str
    text: str
    exits: dict[str, Room] = field(default_factory=dict, repr=False)
    things: dict[str, Thing] = field(default_factory=dict)
    dark: bool = False

    def connect(self, direction: str, other: Room) -> Room:
        self.exits[direction] = other
        other.exits[OPPOSITE[direction]] = self
        return other

    def put(self, *things: Thing) -> Room:
        self.things |= {t.name: t for t in things}
        return self


OPPOSITE = dict(zip("north south east west up down".split(), "south north west east down up".split()))
SHORT = {"n": "north", "s": "south", "e": "east", "w": "west", "i": "inventory", "l": "look", "x": "examine", "get": "take"}


class Game:
    def __init__(self) -> None:
        hall = Room("Hall", "A draughty hall. A portrait watches you.")
        kitchen = hall.connect("east", Room("Kitchen", "Pots hang from the ceiling."))
        cellar = kitchen.connect("down", Room("Cellar", "Wine, and cobwebs.", dark=True))
        hall.put(Thing("portrait", "Her eyes point to the east.", fixed=True))
        kitchen.put(Thing("lamp", "It still has oil."), Thing("spoon"))
        cellar.put(Thing("crown", "Gold!"))
        self.start = self.here = hall
        self.bag: dict[str, Thing] = {}
        self.lit = False
        self.turns = 0

    @property
    def dark(self) -> bool:
        return self.here.dark and not (self.lit and "lamp" in self.bag)

    @property
    def visible(self):
        return self.bag if self.dark else ChainMap(self.bag, self.here.things)

    def do(self, line: str) -> str:
        self.turns += 1
        match [SHORT.get(word, word) for word in line.lower().split() if word not in ("the", "a", "to")]:
            case []:
                return "Pardon?"
            case ["north" | "south" | "east" | "west" | "up" | "down" as direction]:
                return self.do_go(direction)
            case [verb, *rest] if (command := getattr(self, f"do_{verb}", None)):
                try:
                    return command(*rest)
                except TypeError:
                    return f"{verb.capitalize()} what?" if not rest else f"I can't {verb} that way."
            case ["inventory"]:
                return "You carry: " + (", ".join(self.bag) or "nothing") + "."
            case ["light" | "burn", "lamp"] if "lamp" in self.bag:
                self.lit = True
                return "The lamp is lit."
            case [verb, *_]:
                return f"I don't know how to {verb}."

    def do_look(self) -> str:
        if self.dark: return "It is dark."
        lines = [self.here.name.upper(), self.here.text]
        if names := sorted(self.here.things):
            lines.append("Here: " + ", ".join(names) + ".")
        lines.append("Exits: " + ", ".join(self.here.exits))
        return "\n".join(lines)

    def do_go(self, direction) -> str:
        try:
            self.here = self.here.exits[direction]
        except KeyError:
            return "You can't go that way."
        if self.here is self.start and "crown" in self.bag:
            raise GameOver(True, self.turns)
        return self.do_look()

    def do_examine(self, name) -> str:
        return self.visible[name].text if name in self.visible else "You see no such thing."

    def do_take(self, name) -> str:
        thing = self.visible.get(name)
        if thing is None: return f"There is no {name} here."
        if not thing.fixed:
            self.bag[name] = self.here.things.pop(name)
        return "Taken." if name in self.bag else f"The {name} won't move."

    def do_drop(self, name) -> str:
        self.here.put(self.bag.pop(name))
        return "Dropped."

    def do_quit(self) -> str:
        raise GameOver(False, self.turns)


def play(script: str):
    game = Game()
    for line in textwrap.dedent(script).strip().split("\n"):
        command, _, expected = map(str.strip, line.partition("=>"))
        try:
            answer = game.do(command)
        except GameOver as end:
            answer = "won" if end.won else "lost"
        print(f"> {command}\n{textwrap.indent(answer, '  ')}")
        assert expected in answer, (command, answer)
    return game


finished = play("""
    look            => Here: portrait
    take portrait   => won't move
    take            => Take what?
    x portrait      => east
    e               => KITCHEN
    take the lamp   => Taken
    i               => You carry: lamp
    go down         => dark
    take crown      => no crown here
    light lamp      => lit
    look            => Wine
    get crown       => Taken
    dance           => how to dance
    drop lamp       => Dropped
    examine crown   => Gold!
    north           => can't go
    up              => Pots
    w               => won
""")
assert finished.turns == 18 and list(finished.bag) == ["crown"]
assert play("quit => lost").here.name == "Hall" and Game().do("  ") == "Pardon?"
