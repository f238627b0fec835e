"""The three-rotor Enigma."""
import string
from typing import Iterable

ALPHABET = string.ascii_uppercase
ROTORS = {
    "I": ("EKMFLGDQVZNTOWYHXUSPAIBRCJ", "Q"),
    "II": ("AJDKSIRUXBLHWTMCQGZNPYFVOE", "E"),
    "III": ("BDFHJLCPRTXVZNYEIWGAKMUSQO", "V"),
}
REFLECTORS = {"B": "YRUHQSLDPXNGOKMIEBFZCWVJAT"}


class Rotor:
    __slots__ = ("_forward", "_backward", "_notch", "_ring", "_position", "name")

    def __init__(self, name: str, ring: int = 1, position: str = "A") -> None:
        wiring, notch = ROTORS[name]
        self.name = name
        self._forward = [ALPHABET.index(c) for c in wiring]
        self._backward = [wiring.index(c) for c in ALPHABET]
        self._notch = notch
        self._ring = ring - 1
        self.position = position

    @property
    def position(self) -> str:
        return ALPHABET[self._position]

    @position.setter
    def position(self, letter: str) -> None:
        if len(letter) != 1 or letter not in ALPHABET:
            raise ValueError(f"bad position {letter!r}")
        self._position = ALPHABET.index(letter)

    @property
    def at_notch(self) -> bool:
        return self.position in self._notch

    def turn(self) -> None:
        self._position = (self._position + 1) % 26

    def _through(self, wires: list, n: int) -> int:
        offset = self._position - self._ring
        return (wires[(n + offset) % 26] - offset) % 26

    def forward(self, n: int) -> int:
        return self._through(self._forward, n)

    def backward(self, n: int) -> int:
        return self._through(self._backward, n)

    def __repr__(self) -> str:
        return f"<Rotor {self.name} at {self.position}>"


class Plugboard(dict):
    def __init__(self, pairs: str = ""):
        super().__init__()
        for a, b in pairs.split():
            if a in self or b in self:
                raise ValueError(f"{a}{b}: a letter has only one socket")
            self[a], self[b] = b, a

    def __missing__(self, letter: str) -> str:
        return letter


class Enigma:
    def __init__(self, rotors="I II III", *, rings=(1, 1, 1), start="AAA", plugs="", reflector="B"):
        self.rotors = [Rotor(n, r, p) for n, r, p in zip(rotors.split(), rings, start, strict=True)]
        self.plugs = Plugboard(plugs)
        self.reflector = [ALPHABET.index(c) for c in REFLECTORS[reflector]]

    @property
    def window(self) -> str:
        return "".join(r.position for r in self.rotors)

    @window.setter
    def window(self, letters: Iterable[str]) -> None:
        for rotor, letter in zip(self.rotors, letters):
            rotor.position = letter

    def _step(self) -> None:
        left, middle, right = self.rotors
        if middle.at_notch:
            left.turn()
            middle.turn()
        elif right.at_notch:
            middle.turn()
        right.turn()

    def press(self, key: str) -> str:
        self._step()
        n = ALPHABET.index(self.plugs[key])
        for rotor in reversed(self.rotors):
            n = rotor.forward(n)
        n = self.reflector[n]
        for rotor in self.rotors:
            n = rotor.backward(n)
        return self.plugs[ALPHABET[n]]

    def __call__(self, text: str) -> str:
        return "".join(self.press(c) for c in text.upper() if c in ALPHABET)


def groups(text: str, n: int = 5) -> str:
    return " ".join(text[i:i + n] for i in range(0, len(text), n))


def crack(cipher: str, crib: str, **settings) -> str:
    """Try every start of the right-hand rotor and the middle one."""
    for b in ALPHABET:
        for c in ALPHABET[:6]:
            machine = Enigma(start=f"A{b}{c}", **settings)
            if all(machine.press(x) == y for x, y in zip(crib, cipher)):
                return f"A{b}{c}"
    raise LookupError("no such start")


def main() -> None:
    assert Enigma()("AAAAA") == "BDZGO"
    assert Enigma(rings=(2, 2, 2))("AAAAA") == "EWTYX"
    machine = Enigma(start="ADU")
    seen = []
    for _ in range(4):
        machine.press("A")
        seen.append(machine.window)
    assert seen == ["ADV", "AEW", "BFX", "BFY"], "the double step of the middle rotor"

    settings = dict(rotors="II III I", rings=(3, 7, 20), plugs="AV BS CG DL FU HZ IN KM OW RX")
    secret = Enigma(start="QRS", **settings)("The weather in the bay is fine today")
    machine = Enigma(**settings)
    machine.window = "QRS"
    assert machine(secret) == "THEWEATHERINTHEBAYISFINETODAY"
    assert all(a != b for a, b in zip(secret, "THEWEATHERINTHEBAYISFINETODAY"))
    print(groups(secret), machine.rotors)
    assert crack(Enigma(start="AKD")("WEATHER"), "WEATHER") == "AKD"
    for wrong in (lambda: Enigma(plugs="AB AC"), lambda: Enigma(start="A?A"), lambda: Enigma("I II")):
        try:
            wrong()
        except ValueError as e:
            print(e)
        else:
            raise AssertionError


if __name__ == "__main__":
    main()
