"""What names look like: `Mira`, `m1ra`, `rnira`, `míra` and `міга` in Cyrillic have one skeleton.

The tables leave out what no name may have (`socialcode.accounts.names.rules`). Whoever changes them
has the skeletons that are kept computed anew, by a migration.
"""

import unicodedata

# What looks like what, in small letters or capitals, once accents are off. After each letter or
# sign the ones that are taken for it.
_TAKEN_FOR = {
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
_EYES = {ord(taken): shown for shown, all_taken in _TAKEN_FOR.items() for taken in all_taken}
_TOGETHER = (("rn", "m"), ("vv", "w"))


def skeleton_of(name: str) -> str:
    """Return the skeleton of a name, which similar names share."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    parts = unicodedata.normalize("NFKD", folded)
    bare = "".join(sign for sign in parts if not unicodedata.combining(sign))
    seen = bare.translate(_EYES)
    for pair, single in _TOGETHER:
        seen = seen.replace(pair, single)
    return seen.strip("-")
