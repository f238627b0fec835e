"""Markdown to HTML in a hundred lines."""
import html
import re
import textwrap

INLINE = [
    (re.compile(r'\*\*(.+?)\*\*'), r'<strong>\1</strong>'),
    (re.compile(r'(?<!\w)_(.+?)_(?!\w)|\*(.+?)\*'), lambda m: '<em>%s</em>' % (m[1] or m[2])),
    (re.compile(r'!\[([^\]]*)\]\(([^)]+)\)'), r'<img src="\2" alt="\1">'),
    (re.compile(r'\[([^\]]+)\]\(([^)]+)\)'), r'<a href="\2">\1</a>'),
    (re.compile(r'~~(.+?)~~'), r'<del>\1</del>'),
    (re.compile(r' {2,}\n'), '<br>\n'),
]


def inline(text):
    stash = []

    def keep(m):
        stash.append('<code>%s</code>' % html.escape(m.group(1)))
        return '\x00%d\x00' % (len(stash) - 1)

    text = re.sub(r'`([^`]+)`', keep, text)
    text = html.escape(text, quote=False)
    for pattern, replacement in INLINE:
        text = pattern.sub(replacement, text)
    return re.sub('\x00(\\d+)\x00', lambda m: stash[int(m.group(1))], text)


class Markdown:
    def __init__(self):
        # rules are found by their name, in the order of their definition
        self.rules = [getattr(self, name) for name in type(self).__dict__ if name.startswith('block_')]

    def render(self, source):
        self.lines = textwrap.dedent(source).strip('\n').split('\n')
        self.at = 0
        out = []
        while self.at < len(self.lines):
            if not self.line.strip():
                self.at += 1
                continue
            for rule in self.rules:
                result = rule()
                if result is not None:
                    out.append(result)
                    break
        return '\n'.join(out)

    @property
    def line(self):
        return self.lines[self.at]

    def take_while(self, condition):
        start = self.at
        while self.at < len(self.lines) and condition(self.line):
            self.at += 1
        return self.lines[start:self.at]

    def block_fence(self):
        if m := re.match(r'```(\w*)$', self.line):
            self.at += 1
            body = self.take_while(lambda l: l != '```')
            self.at += 1
            cls = f' class="{m[1]}"' if m[1] else ''
            return '<pre><code{}>{}</code></pre>'.format(cls, html.escape('\n'.join(body)))

    def block_heading(self):
        if m := re.match(r'(#{1,6})\s+(.*?)\s*#*$', self.line):
            self.at += 1
            level = len(m[1])
            return f'<h{level}>{inline(m[2])}</h{level}>'

    def block_rule(self):
        if re.fullmatch(r'(\*\s*){3,}|(-\s*){3,}', self.line):
            self.at += 1
            return '<hr>'

    def block_quote(self):
        lines = self.take_while(lambda l: l.startswith('>'))
        if lines:
            inner = '\n'.join(re.sub('^> ?', '', l) for l in lines)
            return '<blockquote>\n%s\n</blockquote>' % type(self)().render(inner)

    def block_table(self):
        if '|' not in self.line or self.at + 1 >= len(self.lines):
            return None
        if not re.fullmatch(r'\|?(\s*:?-+:?\s*\|)+\s*:?-*:?\s*', self.lines[self.at + 1]):
            return None
        head, _, *body = [[c.strip() for c in l.strip('| ').split('|')] for l in self.take_while(lambda l: '|' in l)]
        row = lambda tag, cells: '<tr>' + ''.join(f'<{tag}>{inline(c)}</{tag}>' for c in cells) + '</tr>'
        return '\n'.join(['<table>', row('th', head), *(row('td', r) for r in body), '</table>'])

    def block_list(self):
        bullet = re.compile(r'(\s*)([-*+]|\d+\.)\s+(.*)')
        if not bullet.match(self.line):
            return None
        items = [bullet.match(l).groups() for l in self.take_while(bullet.match)]
        return self._nest(items)

    def _nest(self, items):
        tag = 'ol' if items[0][1][0].isdigit() else 'ul'
        base = len(items[0][0])
        out = ['<%s>' % tag]
        i = 0
        while i < len(items):
            j = i + 1
            while j < len(items) and len(items[j][0]) > base:
                j += 1
            children = '\n' + self._nest(items[i + 1:j]) if j > i + 1 else ''
            out.append('<li>%s%s</li>' % (inline(items[i][2]), children))
            i = j
        out.append('</%s>' % tag)
        return '\n'.join(out)

    def block_paragraph(self):
        first = [self.line]
        self.at += 1
        rest = self.take_while(lambda l: l.strip() and not re.match(r'#|>|```|[-*+] ', l))
        return '<p>%s</p>' % inline('\n'.join(first + rest))


DOC = """
    # Title & more #
    Some *emphasis*, **strong _both_** and `code <b>`.
    A [link](http://x.org) and ![img](a.png)  
    broken line with snake_case_name

    - one
    - two
      1. nested
      2. ~~gone~~
    - three

    > quoted
    > ## inside

    ```python
    if a < b:

        pass
    ```
    ***
    | a | b |
    |---|---|
    | 1 | *2* |
"""

result = Markdown().render(DOC)
print(result)
lines = result.split('\n')
assert lines[0] == '<h1>Title &amp; more</h1>'
assert lines[1] == '<p>Some <em>emphasis</em>, <strong>strong <em>both</em></strong> and <code>code &lt;b&gt;</code>.'
assert '<img src="a.png" alt="img"><br>' in lines[2] and 'snake_case_name' in lines[3]
assert '<li>two\n<ol>\n<li>nested</li>\n<li><del>gone</del></li>\n</ol></li>' in result
assert '<blockquote>\n<p>quoted</p>\n<h2>inside</h2>\n</blockquote>' in result
assert '<pre><code class="python">if a &lt; b:\n\n    pass</code></pre>\n<hr>' in result
assert result.endswith('<tr><td>1</td><td><em>2</em></td></tr>\n</table>')
assert Markdown().render('') == ''
