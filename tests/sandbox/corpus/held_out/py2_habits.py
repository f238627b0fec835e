# -*- coding: utf-8 -*-
"""Ported with 2to3 years ago and never touched since."""
from __future__ import absolute_import, division, print_function, unicode_literals

import sys
import string
import re
try:
    from itertools import izip
except ImportError:
    izip = zip
try:
    import cPickle as pickle
except ImportError:
    pickle = None
try:
    xrange
except NameError:
    xrange = range
try:
    unicode
except NameError:
    unicode = str
    basestring = (str, bytes)
    long = int

PY3 = sys.version_info[0] >= 3

__version__ = '0.1.2'
__author__ = "someone"
__all__ = ['Record', 'RecordSet', 'cmp']


def cmp(a, b):
    return (a > b) - (a < b)


class Record(object):
    fields = ('name', 'qty', 'price')

    def __init__(self, *args, **kwargs):
        super(Record, self).__init__()
        for name, value in izip(self.fields, args):
            setattr(self, name, value)
        for name, value in kwargs.items():
            if name not in self.fields:
                raise TypeError('unexpected field %r' % (name,))
            setattr(self, name, value)

    def __unicode__(self):
        return '%s x %d @ %.2f' % (self.name, self.qty, self.price)

    def __str__(self):
        return self.__unicode__() if PY3 else self.__unicode__().encode('utf-8')

    def __cmp__(self, other):
        return cmp(self.price, other.price)

    def __lt__(self, other):
        return self.__cmp__(other) < 0

    def __nonzero__(self):
        return bool(self.qty)

    __bool__ = __nonzero__


class RecordSet(list):
    def __init__(self, seq=()):
        list.__init__(self, seq)

    def total(self):
        total = 0
        for i in xrange(len(self)):
            total += self[i].qty * self[i].price
        return total

    def find(self, **criteria):
        def ok(r):
            for k, v in criteria.items():
                if getattr(r, k, None) != v:
                    return False
            return True
        return RecordSet(filter(ok, self))


rs = RecordSet()
for line in '''
apple|3|0.5
pear|0|0.75
fig|10|.2
'''.strip().split('\n'):
    name, qty, price = line.split('|')
    rs.append(Record(name, qty=int(qty), price=float(price)))

rs.sort()
print('%s' % ', '.join(map(unicode, rs)))
assert [r.name for r in rs] == ['fig', 'apple', 'pear']
assert rs.total() == 3.5
assert not rs.find(name='pear')[0] and rs.find(qty=10)[0].name == 'fig'
try:
    Record('x', colour='red')
except TypeError as e:
    print('TypeError: %s' % e)
names = dict((r.name, r) for r in rs)
if not 'kiwi' in names:
    print("no kiwi, %(n)d other fruits (%(list)s)" % {'n': len(names), 'list': '/'.join(sorted(names.keys()))})
assert isinstance('abc', basestring) and isinstance(5, long)
s = string.Template('$who owes $$${amount}').substitute(who='Bob', amount=5)
assert s == 'Bob owes $5', s
assert re.sub('(?P<a>\\d)', r'<\g<a>>', 'a1b2') == 'a<1>b<2>'
evens = filter(lambda x: x % 2 == 0, xrange(10))
assert list(evens) == [0, 2, 4, 6, 8] and 7 / 2 == 3.5 and 7 // 2 == 3
k = sorted({'b': 1, 'a': 2}.items(), key=lambda kv: -kv[1])
for i in xrange(0, len(k)):
    sys.stdout.write("%s=%s\n" % k[i])
sys.stdout.flush()
print("done", file=sys.stdout)
