"""Skeletons of names: names that look alike have the same one.

For example `Mira`, `m1ra`, `rnira`, `míra` and Cyrillic `міга`. The tables leave out characters
that are not allowed in names (`socialcode.accounts.names.rules`). Changes of the tables need a
migration that recomputes the stored skeletons, but for those of deleted accounts.
"""

import unicodedata

# Characters that look like another one, in lower or upper case, without accents: each line has a
# character and those that can be mistaken for it.
_LOOK_ALIKES = {
    "a": "αаɑ",
    "ae": "æӕ",
    "b": "βвьъɓ",
    "c": "сϲ",
    "d": "đðԁɗɖ",
    "e": "εеєҽəɛ",
    "f": "ғϝƒ",
    "g": "ցԍ",
    "h": "ħнһհη",
    "j": "јյϳ",
    "k": "κкқҡƙĸ",
    "l": "1iıłιіӏίןוا",
    "m": "мμ",
    "n": "пողռŋ",
    "o": "0øοоօσסഠဝهɔ",
    "oe": "œ",
    "p": "ρрþ",
    "q": "ԛզգ",
    "r": "гґ",
    "s": "ѕտ",
    "t": "τтŧ",
    "u": "υսцџ",
    "v": "νѵטʋ",
    "w": "ωԝшщա",
    "x": "χхҳ",
    "y": "уүұγყƴɣ",
    "z": "ζȥ",
    "-": "._+@ー一ㅡ",
    "ニ": "二",
    "ロ": "口囗ㅁ",
    "エ": "工ㅗ",
    "カ": "力",
    "タ": "夕",
    "ハ": "八",
    "ヘ": "へ",
    "リ": "り",
    "ト": "卜ㅏ",
    "メ": "㐅",
}
_REPLACEMENTS = {ord(other): one for one, others in _LOOK_ALIKES.items() for other in others}
_PAIRS = (("rn", "m"), ("vv", "w"))


def skeleton_of(name: str) -> str:
    """Return the skeleton of a name, which similar names share."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    parts = unicodedata.normalize("NFKD", folded)
    bare = "".join(sign for sign in parts if not unicodedata.combining(sign))
    skeleton = bare.translate(_REPLACEMENTS)
    for pair, single in _PAIRS:
        skeleton = skeleton.replace(pair, single)
    return skeleton.strip("-")
