#!/usr/bin/env python
# Written by someone who has written C for twenty years.

INT_MAX = 2147483647
MAXLINE = 80
EOF = -1
TRUE = 1
FALSE = 0


def strlen(s):
    i = 0
    while (i < len(s)) and (s[i] != '\0'):
        i += 1
    return i


def atoi(s):
    n = 0
    sign = 1
    i = 0
    while s[i] == ' ':
        i += 1
    if s[i] == '-':
        sign = -1
        i += 1
    while i < len(s) and '0' <= s[i] <= '9':
        n = 10 * n + (ord(s[i]) - ord('0'))
        i += 1
    return sign * n


def itob(n, base):
    if (n == 0):
        return "0"
    buf = [None] * 64
    pos = 64
    while (n > 0):
        pos -= 1
        d = n % base
        buf[pos] = chr(d + 48) if (d < 10) else chr(d - 10 + ord('a'))
        n //= base
    return "".join(buf[pos:])


def to_int32(x):
    x &= 0xFFFFFFFF
    return x - 0x100000000 if x & 0x80000000 else x


def hash_djb2(s):
    h = 5381
    for c in s:
        h = ((h << 5) + h + ord(c)) & 0xFFFFFFFF
    return h


class Struct:
    """typedef struct"""

    def __init__(self, **kwds):
        self.__dict__.update(kwds)


def getchar(buf):
    if buf.pos >= len(buf.text):
        return EOF
    c = buf.text[buf.pos]
    buf.pos += 1
    return ord(c)


def wc(text):
    nl = nw = nc = 0
    inword = FALSE
    buf = Struct(text=text, pos=0)
    c = getchar(buf)
    while c != EOF:
        nc += 1
        if c == ord('\n'):
            nl += 1
        if c in (ord(' '), ord('\n'), ord('\t')):
            inword = FALSE
        elif not inword:
            inword = TRUE
            nw += 1
        c = getchar(buf)
    return nl, nw, nc


def shellsort(v, n):
    gap = n // 2
    while gap > 0:
        for i in range(gap, n):
            j = i - gap
            while j >= 0 and v[j] > v[j + gap]:
                temp = v[j]; v[j] = v[j + gap]; v[j + gap] = temp
                j -= gap
        gap //= 2


def binsearch(x, v, n):
    low = 0; high = n - 1
    while low <= high:
        mid = (low + high) >> 1
        if x < v[mid]: high = mid - 1
        elif x > v[mid]: low = mid + 1
        else: return mid
    return -1


def main(argc, argv):
    assert strlen("hello") == 5 and strlen("ab\0cd") == 2
    assert atoi("  -1234x") == -1234 and atoi("77") == 77
    assert itob(255, 16) == "ff" and itob(5, 2) == "101" and itob(0, 7) == "0"
    assert to_int32(INT_MAX + 1) == -2147483648
    assert wc("the quick\nbrown  fox\n") == (2, 4, 21)
    v = [9, 4, 7, 1, 8, 2]
    shellsort(v, len(v))
    i = 0
    while i < len(v):
        print("v[%d] = %d%s" % (i, v[i], "" if i == len(v) - 1 else ","), end="\n")
        i = i + 1
    assert binsearch(7, v, 6) == 3 and binsearch(5, v, 6) == -1
    print("hash: 0x%08X" % hash_djb2(argv[0]))
    print("argc = %d" % (argc,))
    return 0


if __name__ == "__main__":
    argv = ["a.out", "-v", "file.txt"]
    status = main(len(argv), argv)
    if status != 0:
        raise SystemExit(status)
