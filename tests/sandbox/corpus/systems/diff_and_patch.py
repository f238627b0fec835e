"""Myers' diff, a patch that can be applied and reversed, and a three-way merge."""
from collections import namedtuple
from difflib import SequenceMatcher
from itertools import groupby

Edit = namedtuple('Edit', 'op old new text')   # op is one of ' ', '-', '+'


def myers(a, b):
    """Shortest edit script from a to b."""
    n, m = len(a), len(b)
    v = {1: 0}
    trace = []
    for d in range(n + m + 1):
        trace.append(v.copy())
        for k in range(-d, d + 1, 2):
            if k == -d or (k != d and v[k - 1] < v[k + 1]):
                x = v[k + 1]
            else:
                x = v[k - 1] + 1
            y = x - k
            while x < n and y < m and a[x] == b[y]:
                x, y = x + 1, y + 1
            v[k] = x
            if x >= n and y >= m:
                return backtrack(a, b, trace)


def backtrack(a, b, trace):
    x, y = len(a), len(b)
    script = []
    for d, v in reversed(list(enumerate(trace))):
        k = x - y
        if k == -d or (k != d and v[k - 1] < v[k + 1]):
            prev_k = k + 1
        else:
            prev_k = k - 1
        prev_x = v[prev_k]
        prev_y = prev_x - prev_k
        while x > prev_x and y > prev_y:
            x, y = x - 1, y - 1
            script.append(Edit(' ', x, y, a[x]))
        if d:
            if x == prev_x:
                script.append(Edit('+', x, prev_y, b[prev_y]))
            else:
                script.append(Edit('-', prev_x, y, a[prev_x]))
            x, y = prev_x, prev_y
    return script[::-1]


class PatchError(Exception):
    pass


class Hunk:
    def __init__(self, edits):
        self.edits = edits
        self.old = edits[0].old
        self.new = edits[0].new

    @property
    def before(self):
        return [e.text for e in self.edits if e.op != '+']

    @property
    def after(self):
        return [e.text for e in self.edits if e.op != '-']

    def __str__(self):
        head = '@@ -%d,%d +%d,%d @@' % (self.old + 1, len(self.before), self.new + 1, len(self.after))
        return '\n'.join([head] + [e.op + e.text for e in self.edits])

    def __invert__(self):
        flip = {'+': '-', '-': '+', ' ': ' '}
        return Hunk([Edit(flip[e.op], e.new, e.old, e.text) for e in self.edits])


class Patch:
    def __init__(self, a, b, context=1):
        script = myers(a, b)
        near = set()
        for i, e in enumerate(script):
            if e.op != ' ':
                near.update(range(i - context, i + context + 1))
        self.hunks = []
        for keep, group in groupby(enumerate(script), key=lambda pair: pair[0] in near):
            if keep:
                self.hunks.append(Hunk([e for _, e in group]))

    def __invert__(self):
        patch = object.__new__(type(self))
        patch.hunks = [~h for h in self.hunks]
        return patch

    def __str__(self):
        return '\n'.join(map(str, self.hunks))

    def __bool__(self):
        return bool(self.hunks)

    def apply(self, lines, fuzz=3):
        lines = list(lines)
        shift = 0
        for number, hunk in enumerate(self.hunks, 1):
            want = hunk.before
            for offset in sorted(range(-fuzz, fuzz + 1), key=abs):
                at = hunk.old + shift + offset
                if at >= 0 and lines[at:at + len(want)] == want:
                    break
            else:
                raise PatchError('hunk %d of %d does not apply' % (number, len(self.hunks)))
            lines[at:at + len(want)] = hunk.after
            shift += len(hunk.after) - len(want)
        return lines

    def __matmul__(self, lines):
        return self.apply(lines)


def merge3(base, ours, theirs):
    def changes(other):
        return [(i1, i2, other[j1:j2]) for tag, i1, i2, j1, j2 in SequenceMatcher(None, base, other, False).get_opcodes()
                if tag != 'equal']
    todo = sorted([c + ('ours',) for c in changes(ours)] + [c + ('theirs',) for c in changes(theirs)], key=lambda c: c[:2])
    out, pos, conflicts = [], 0, 0
    while todo:
        lo, hi, text, who = todo.pop(0)
        out += base[pos:lo]
        if todo and todo[0][0] < max(hi, lo + 1) and todo[0][3] != who:
            lo2, hi2, text2, _ = todo.pop(0)
            if (lo2, hi2, text2) == (lo, hi, text):
                out += text
            else:
                conflicts += 1
                out += ['<<<<<<<', *text, '=======', *text2, '>>>>>>>']
            pos = max(hi, hi2)
        else:
            out += text
            pos = hi
    return out + base[pos:], conflicts


def test_myers():
    script = myers('ABCABBA', 'CBABAC')
    assert ''.join(e.text for e in script if e.op != '+') == 'ABCABBA'
    assert ''.join(e.text for e in script if e.op != '-') == 'CBABAC'
    assert sum(e.op != ' ' for e in script) == 5
    assert myers('', '') == [] and [e.op for e in myers('', 'ab')] == ['+', '+'] and len(myers('abc', '')) == 3


def test_patch():
    a = 'the quick brown fox jumps over the lazy dog'.split()
    b = 'a quick red brown fox leaps over the dog today'.split()
    p = Patch(a, b)
    assert p.apply(a) == b and ~p @ b == a
    assert str(Patch(['x', 'y', 'z'], ['x', 'Y', 'z'])) == '@@ -1,3 +1,3 @@\n x\n-y\n+Y\n z'
    assert p @ (['moved', 'down'] + a) == ['moved', 'down'] + b
    assert not Patch(a, a)
    try:
        p.apply(['something', 'else'])
    except PatchError as e:
        assert str(e) == 'hunk 1 of %d does not apply' % len(p.hunks)
    else:
        raise AssertionError


def test_merge():
    base = list('abcdef')
    assert merge3(base, list('aXcdef'), list('abcdeYf')) == (list('aXcdeYf'), 0)
    merged, conflicts = merge3(base, list('aXcdef'), list('aZcdef'))
    assert conflicts == 1 and merged == ['a', '<<<<<<<', 'X', '=======', 'Z', '>>>>>>>', *'cdef']
    assert merge3(base, list('bcdef'), list('bcdef')) == (list('bcdef'), 0)


for check in (test_myers, test_patch, test_merge):
    check()
