# -*- coding: utf-8 -*-
import re
import string
import sys
from collections import Counter, defaultdict
from textwrap import dedent

TEXT = dedent('''\
    It was a bright cold morning, and the clocks were wrong. The old
    man said: "Nobody winds the clocks any more!" Nobody did; the town
    had stopped caring about time. Time, however, had not stopped.
    ''')

STOP = set("a an and any about had it the was were".split())


def words(text):
    for raw in text.split():
        w = raw.strip(string.punctuation).lower()
        if w:
            yield w


def sentences(text):
    return [s.strip() for s in re.split(r'(?<=[.!?])["\s]+', ' '.join(text.split())) if s.strip()]


def concordance(text, target, width=20):
    flat = ' '.join(text.split())
    for m in re.finditer(r'\b%s\b' % re.escape(target), flat, flags=re.IGNORECASE):
        left = flat[max(0, m.start() - width):m.start()]
        right = flat[m.end():m.end() + width]
        yield '%*s[%s]%-*s' % (width, left, m.group(), width, right)


def syllables(word):
    return max(1, len(re.findall(r'[aeiouy]+', word)) - word.endswith('e'))


def pig_latin(word):
    m = re.match(r'([^aeiou]*)(.*)', word)
    head, rest = m.groups()
    return rest + (head or 'w') + 'ay'


def center_lines(text, width):
    return '\n'.join(line.center(width).rstrip() for line in text.splitlines())


def justify(text, width):
    lines, line = [], []
    for w in text.split():
        if sum(map(len, line)) + len(line) + len(w) > width:
            for i in range(width - sum(map(len, line))):
                line[i % (len(line) - 1 or 1)] += ' '
            lines.append(''.join(line))
            line = []
        line.append(w)
    lines.append(' '.join(line).ljust(width))
    return lines


def ngrams(seq, n):
    return zip(*(seq[i:] for i in range(n)))


ws = list(words(TEXT))
freq = Counter(w for w in ws if w not in STOP)
for w, n in sorted(freq.most_common(4), key=lambda p: (-p[1], p[0])):
    print('%-10s %s' % (w, '#' * n))
assert freq['clocks'] == freq['nobody'] == freq['time'] == freq['stopped'] == 2
sents = sentences(TEXT)
assert len(sents) == 4, sents
for line in concordance(TEXT, 'time'):
    print(line)
assert [syllables(w) for w in ('bright', 'morning', 'caring', 'time')] == [1, 2, 2, 1]
print(' '.join(pig_latin(w) for w in 'the quick apple'.split()))
lines = justify(TEXT, 32)
print('\n'.join('|%s|' % l for l in lines))
assert all(len(l) == 32 for l in lines)
index = defaultdict(set)
for n, line in enumerate(TEXT.splitlines(), start=1):
    for w in words(line):
        index[w].add(n)
assert index['clocks'] == {1, 2} and sorted(index['stopped']) == [3]
assert Counter(ngrams(ws, 2))[('the', 'clocks')] == 2
assert center_lines('ab\nabcd', 6) == '  ab\n abcd'
longest = max(ws, key=len)
by_letter = {}
for w in sorted(set(ws)):
    by_letter.setdefault(w[0], []).append(w)
print(longest, by_letter['w'], file=sys.stdout)
assert 'zip code: {0:05d}'.format(42).split(':')[-1].strip().isdigit()
assert "Tab\tstop".expandtabs(8) == "Tab     stop" and "a,b,,c".split(",") == ["a", "b", "", "c"]
assert "key=value=x".partition("=") == ("key", "=", "value=x") and "a-b-c".rsplit("-", 1) == ["a-b", "c"]
assert "straße".upper() == "STRASSE" and "éa" > "za" and "x".zfill(3) == "00x" and "-5".zfill(4) == "-005"
