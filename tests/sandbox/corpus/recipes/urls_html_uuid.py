"""Small web-ish helpers which touch no network: urllib.parse, html, uuid."""
import html
import re
import uuid
from html.parser import HTMLParser
from urllib.parse import (parse_qs, parse_qsl, quote, quote_plus, unquote, unquote_plus, urlencode, urljoin,
                          urlparse, urlsplit, urlunsplit)


class Url:
    """An immutable URL with methods that return changed copies.

    >>> str(Url('http://x.org/a?b=1').with_query(c=2))
    'http://x.org/a?b=1&c=2'
    """

    __slots__ = ('_parts',)

    def __init__(self, text):
        object.__setattr__(self, '_parts', urlsplit(text))

    def __setattr__(self, name, value):
        raise AttributeError(f'{type(self).__name__} is immutable')

    @property
    def query(self):
        return dict(parse_qsl(self._parts.query, keep_blank_values=True))

    def _with(self, **kw):
        return Url(urlunsplit(self._parts._replace(**kw)))

    def with_query(self, **params):
        merged = {**self.query, **params}
        return self._with(query=urlencode({k: v for k, v in merged.items() if v is not None}, doseq=True))

    def __truediv__(self, segment):
        return self._with(path=self._parts.path.rstrip('/') + '/' + quote(segment, safe=''))

    def __getattr__(self, name):
        if name in ('scheme', 'netloc', 'path', 'fragment', 'hostname', 'port', 'username'):
            return getattr(self._parts, name)
        raise AttributeError(name)

    def __str__(self):
        return self._parts.geturl()

    def __eq__(self, other):
        return isinstance(other, Url) and str(self) == str(other)

    def __hash__(self):
        return hash(str(self))


class TextExtractor(HTMLParser):
    def __init__(self):
        super().__init__()
        self.links, self.text, self._stack = [], [], []

    def handle_starttag(self, tag, attrs):
        if tag not in ('br', 'img'):
            self._stack.append(tag)
        if tag == 'a':
            self.links.append(dict(attrs).get('href'))

    def handle_endtag(self, tag):
        if self._stack and self._stack[-1] == tag:
            self._stack.pop()

    def handle_data(self, data):
        if 'script' not in self._stack and data.strip():
            self.text.append(' '.join(data.split()))


class Tag:
    """Build HTML with attribute access: h.p('text', class_='x')."""

    def __init__(self, name=None):
        self._name = name

    def __getattr__(self, name):
        return Tag(name)

    def __call__(self, *children, **attrs):
        parts = ''.join(f' {k.rstrip("_")}="{html.escape(str(v))}"' for k, v in attrs.items())
        inner = ''.join(c if isinstance(c, Markup) else html.escape(str(c), quote=False) for c in children)
        return Markup(f'<{self._name}{parts}>{inner}</{self._name}>')


class Markup(str):
    pass


def slugify(text):
    return re.sub(r'[^\w]+', '-', html.unescape(text).casefold()).strip('-')


def test_urls():
    u = Url('https://ann@example.org:8080/docs/?q=a+b&empty=&lang=py#top')
    assert (u.scheme, u.hostname, u.port, u.username, u.fragment) == ('https', 'example.org', 8080, 'ann', 'top')
    assert u.query == {'q': 'a b', 'empty': '', 'lang': 'py'}
    assert str(Url('http://x.org/a?b=1').with_query(c=2, b=None)) == 'http://x.org/a?c=2'
    assert str(Url('http://x.org') / 'a b' / 'c/d') == 'http://x.org/a%20b/c%2Fd'
    assert len({Url('http://a/'), Url('http://a/')}) == 1
    for action in (lambda: setattr(u, 'path', '/'), lambda: u.nothing):
        try:
            action()
        except AttributeError:
            continue
        raise AssertionError
    assert parse_qs('a=1&a=2&b=') == {'a': ['1', '2']}
    assert urlencode([('x', 'é'), ('y', '&')]) == 'x=%C3%A9&y=%26'
    assert quote('/El Niño/') == '/El%20Ni%C3%B1o/' and unquote('%C3%B1') == 'ñ'
    assert unquote_plus(quote_plus('a b&c')) == 'a b&c'
    base = 'http://example.com/a/b/c'
    assert [urljoin(base, r) for r in ('d', '../d', '/d', '//o.org/x', '?q')] == [
        'http://example.com/a/b/d', 'http://example.com/a/d', 'http://example.com/d', 'http://o.org/x',
        'http://example.com/a/b/c?q']
    assert urlparse('mailto:me@x.org').path == 'me@x.org'


def test_html():
    assert html.escape('<a href="x">&\'') == '&lt;a href=&quot;x&quot;&gt;&amp;&#x27;'
    assert html.unescape('&eacute;&#62;&#x3e;&amp;lt;') == 'é>>&lt;'
    p = TextExtractor()
    p.feed('<h1>Hi &amp; <b>bye</b></h1><script>no()</script><a href="/x">link\n here</a><br>end')
    p.close()
    assert p.text == ['Hi &', 'bye', 'link here', 'end'] and p.links == ['/x']
    h = Tag()
    page = h.div(h.p('1 < 2', class_='math'), h.a('x', href='/?a=1&b=2'), id='main')
    assert page == '<div id="main"><p class="math">1 &lt; 2</p><a href="/?a=1&amp;b=2">x</a></div>'
    assert slugify('  Caf&eacute; &amp; Bar!! ') == 'café-bar'


def test_uuids():
    a = uuid.uuid5(uuid.NAMESPACE_DNS, 'python.org')
    assert str(a) == '886313e1-3b8a-5372-9b90-0c9aee199e5d'
    assert uuid.uuid3(uuid.NAMESPACE_DNS, 'python.org').version == 3
    x = uuid.UUID('{00010203-0405-0607-0809-0a0b0c0d0e0f}')
    assert x.bytes == bytes(range(16)) and x.int == int.from_bytes(bytes(range(16)), 'big')
    assert uuid.UUID(bytes=x.bytes) == uuid.UUID(hex=x.hex) == uuid.UUID(x.urn)
    assert uuid.UUID(int=0) < x and x.fields[0] == 0x00010203
    try:
        uuid.UUID('nope')
    except ValueError as e:
        assert 'badly formed' in str(e)


for test in (test_urls, test_html, test_uuids):
    test()
