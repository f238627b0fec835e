from difflib import (Differ, HtmlDiff, SequenceMatcher, context_diff, get_close_matches, ndiff, restore,
                     unified_diff)
from textwrap import TextWrapper, dedent, fill, indent, shorten, wrap

POEM = """\
    Beautiful is better than ugly.
    Explicit is better than implicit.
      Simple is better than complex.
    """

OLD = dedent("""\
    one
    two
    three
    four
    five
    """).splitlines(keepends=True)
NEW = dedent("""\
    one
    tree
    four
    five
    six
    """).splitlines(keepends=True)


def two_columns(left, right, width=24, gap=" | "):
    l, r = wrap(left, width), wrap(right, width)
    height = max(len(l), len(r))
    l += [""] * (height - len(l))
    r += [""] * (height - len(r))
    return "\n".join(f"{a:<{width}}{gap}{b}".rstrip() for a, b in zip(l, r))


def bullets(items, width=30):
    w = TextWrapper(width=width, initial_indent="* ", subsequent_indent="  ")
    return "\n".join(map(w.fill, items))


def justify(text, width):
    out = []
    lines = wrap(text, width)
    for line in lines[:-1]:
        words = line.split()
        if len(words) == 1:
            out.append(line)
            continue
        spaces, extra = divmod(width - sum(map(len, words)), len(words) - 1)
        gaps = [" " * (spaces + (i < extra)) for i in range(len(words) - 1)] + [""]
        out.append("".join(w + g for w, g in zip(words, gaps)))
    return "\n".join(out + lines[-1:])


def boxed(text, width=20):
    lines = wrap(text, width - 4)
    inner = max(map(len, lines))
    return "\n".join(["+" + "-" * (inner + 2) + "+",
                      *(f"| {line:^{inner}} |" for line in lines),
                      "+" + "-" * (inner + 2) + "+"])


def edit_script(a, b):
    return [(tag, a[i1:i2], b[j1:j2]) for tag, i1, i2, j1, j2 in SequenceMatcher(None, a, b).get_opcodes()
            if tag != "equal"]


def inline_diff(a, b):
    result = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(a=a, b=b, autojunk=False).get_opcodes():
        match tag:
            case "equal":
                result.append(a[i1:i2])
            case "delete":
                result.append("[-%s-]" % a[i1:i2])
            case "insert":
                result.append("{+%s+}" % b[j1:j2])
            case "replace":
                result.append("[-%s-]{+%s+}" % (a[i1:i2], b[j1:j2]))
    return "".join(result)


# --- textwrap
assert dedent(POEM).splitlines()[2] == "  Simple is better than complex."
assert indent("a\n\nb", "> ") == "> a\n\n> b"
assert indent("a\n\nb", "+", lambda line: True) == "+a\n+\n+b"
text = "The quick brown fox jumped over the lazy dog and then it slept."
assert wrap(text, 20) == ["The quick brown fox", "jumped over the lazy", "dog and then it", "slept."]
assert fill("x" * 25, 10) == "xxxxxxxxxx\nxxxxxxxxxx\nxxxxx"
assert shorten("Hello  world, how are you?", width=19, placeholder="...") == "Hello world, how..."
assert wrap("well-known hyphenated-words", 12) == ["well-known", "hyphenated-", "words"]
assert wrap("a b c d e f g", 5, max_lines=2, placeholder=" ~") == ["a b c", "d e ~"]
assert bullets(["short one", "a rather longer item that has to be wrapped"]) == dedent("""\
    * short one
    * a rather longer item that
      has to be wrapped""")
assert two_columns("left side", "right side is a bit longer than that", 12) == (
    "left side    | right side\n             | is a bit\n             | longer than\n             | that")
assert all(len(line) == 20 for line in justify(text, 20).splitlines()[:-1])
assert boxed("hello big world") == "+-----------------+\n| hello big world |\n+-----------------+"

# --- difflib
diff = list(unified_diff(OLD, NEW, "before", "after", n=1))
assert diff[0] == "--- before\n" and diff[2] == "@@ -1,5 +1,5 @@\n"
assert [d for d in diff[3:] if d[0] in "+-"] == ["-two\n", "-three\n", "+tree\n", "+six\n"]
nd = list(ndiff(OLD, NEW))
assert "".join(restore(nd, 1)) == "".join(OLD) and "".join(restore(nd, 2)) == "".join(NEW)
assert any(line.startswith("? ") for line in nd)
assert "".join(context_diff(OLD, NEW)).count("*** ") == 2
assert list(Differ().compare(["a\n"], ["a\n"])) == ["  a\n"]
assert get_close_matches("appel", ["ape", "apple", "peach", "puppy"]) == ["apple", "ape"]
s = SequenceMatcher(lambda x: x == " ", "private Thread currentThread;", "private volatile Thread currentThread;")
assert round(s.ratio(), 3) == 0.866
m = SequenceMatcher(None, " abcd", "abcd abcd").find_longest_match()
assert (m.a, m.b, m.size) == (0, 4, 5)
assert s.quick_ratio() >= s.ratio() <= s.real_quick_ratio()
assert edit_script("qabxcd", "abycdf") == [("delete", "q", ""), ("replace", "x", "y"), ("insert", "", "f")]
assert inline_diff("the cat sat", "the dog sat!") == "the [-cat-]{+dog+} sat{+!+}"
assert HtmlDiff(tabsize=4).make_table(OLD, NEW).lstrip().startswith("<table")
print("".join(diff))
