import inspect
import keyword
import textwrap
import tokenize
import io
import token as tok

s = 's = %r\nprint(s %% s)'
out = s % s
assert out.startswith("s = 's = %r") and out.endswith("print(s % s)")


def words(src):
    return [t.string for t in tokenize.generate_tokens(io.StringIO(src).readline) if t.type == tok.NAME]


assert words("x = foo(bar) # c") == ["x", "foo", "bar"]
assert keyword.iskeyword("lambda") and "print" not in keyword.kwlist
assert "abc".isidentifier() and not "1x".isidentifier()


def count_lines(src):
    code = comments = blank = 0
    for line in textwrap.dedent(src).strip("\n").splitlines():
        match line.strip():
            case "":
                blank += 1
            case l if l.startswith("#"):
                comments += 1
            case _:
                code += 1
    return code, comments, blank


assert count_lines("""
    # hi
    x = 1

    y = 2  # trailing
    """) == (2, 1, 1)
toks = [tok.tok_name[t.exact_type] for t in tokenize.generate_tokens(io.StringIO("a += 1\n").readline)]
print(toks)
assert toks[:3] == ["NAME", "PLUSEQUAL", "NUMBER"]
