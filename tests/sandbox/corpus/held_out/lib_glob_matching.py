"""Three ways of matching shell patterns, checked against fnmatch."""
import fnmatch
import re
from functools import lru_cache


def translate(pattern):
    i, n = 0, len(pattern)
    res = []
    while i < n:
        c = pattern[i]
        i += 1
        if c == '*':
            res.append('.*')
        elif c == '?':
            res.append('.')
        elif c == '[':
            j = pattern.find(']', i + 1)
            if j < 0:
                res.append(r'\[')
            else:
                stuff = pattern[i:j].replace('\\', r'\\')
                i = j + 1
                if stuff[0] == '!':
                    stuff = '^' + stuff[1:]
                res.append('[%s]' % stuff)
        else:
            res.append(re.escape(c))
    return re.compile(''.join(res) + r'\Z', re.S)


@lru_cache(maxsize=None)
def match_recursive(s, p):
    if not p:
        return not s
    if p[0] == '*':
        return match_recursive(s, p[1:]) or bool(s) and match_recursive(s[1:], p)
    return bool(s) and p[0] in ('?', s[0]) and match_recursive(s[1:], p[1:])


def match_greedy(s, p):
    i = j = 0
    star, mark = -1, 0
    while i < len(s):
        if j < len(p) and (p[j] == '?' or p[j] == s[i]) and p[j] != '*':
            i += 1; j += 1
        elif j < len(p) and p[j] == '*':
            star, mark = j, i
            j += 1
        elif star != -1:
            mark += 1
            i, j = mark, star + 1
        else:
            return False
    while j < len(p) and p[j] == '*':
        j += 1
    return j == len(p)


def expand_braces(pattern):
    """a{b,c{d,e}}f -> abf acdf acef"""
    m = re.search(r'\{([^{}]*)\}', pattern)
    if not m:
        yield pattern
        return
    for option in m.group(1).split(','):
        yield from expand_braces(pattern[:m.start()] + option + pattern[m.end():])


names = ["main.py", "test_main.py", "README.md", "a", "", "data.tar.gz", "x[1].txt", "ab.py"]
patterns = ["*", "*.py", "test_*", "?", "*a*", "*.*.*", "??.py", "", "m??n*", "**y"]
for p in patterns:
    row = [n for n in names if translate(p).match(n)]
    print("%-8s %s" % (p, row))
    assert row == fnmatch.filter(names, p)
    for n in names:
        expected = fnmatch.fnmatchcase(n, p)
        assert match_recursive(n, p) == match_greedy(n, p) == expected, (n, p)
assert translate("[a-zR]*").match("README.md") and not translate("[!a]*").match("ab.py")
assert translate("[xyz]?1*").match("x[1].txt")
assert list(expand_braces("f{1,2}.{c,h}")) == ["f1.c", "f2.c", "f1.h", "f2.h"] or \
    sorted(expand_braces("f{1,2}.{c,h}")) == ["f1.c", "f1.h", "f2.c", "f2.h"]
assert set(expand_braces("f{1,2{a,b}}.c")) == {"f1.c", "f2a.c", "f2b.c"}
