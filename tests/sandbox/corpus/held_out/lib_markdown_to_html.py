#!/usr/bin/env python3
import html
import re
from itertools import groupby

INLINE = [
    (re.compile(r"`([^`]+)`"), r"<code>\1</code>"),
    (re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)"), r'<img alt="\1" src="\2">'),
    (re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)"), r'<a href="\2">\1</a>'),
    (re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1"), r"<strong>\2</strong>"),
    (re.compile(r"(\*|_)(?=\S)(.+?)(?<=\S)\1"), r"<em>\2</em>"),
]


def inline(text):
    text = html.escape(text, quote=False)
    for rx, repl in INLINE:
        text = rx.sub(repl, text)
    return text


def kind(line):
    if not line.strip():
        return "blank"
    if re.match(r"#{1,6} ", line):
        return "heading"
    if re.match(r"\s*[-*+] ", line):
        return "ul"
    if re.match(r"\s*\d+\. ", line):
        return "ol"
    if line.startswith(">"):
        return "quote"
    if line.startswith("    "):
        return "code"
    if set(line.strip()) == {"-"} and len(line.strip()) > 2:
        return "hr"
    return "para"


def to_html(source):
    out = []
    for k, lines in groupby(source.splitlines(), key=kind):
        lines = list(lines)
        handler = HANDLERS.get(k)
        if handler:
            result = handler(lines)
            if isinstance(result, str):
                out.append(result)
            else:
                out.extend(result)
    return "\n".join(out)


def headings(lines):
    for line in lines:
        hashes, _, text = line.partition(" ")
        n = len(hashes)
        slug = re.sub(r"\W+", "-", text.lower()).strip("-")
        yield f'<h{n} id="{slug}">{inline(text.rstrip("# "))}</h{n}>'


def list_of(tag):
    def handler(lines):
        items = "".join("  <li>%s</li>\n" % inline(re.sub(r"^\s*(?:[-*+]|\d+\.) ", "", l)) for l in lines)
        return f"<{tag}>\n{items}</{tag}>"
    return handler


HANDLERS = {
    "heading": headings,
    "ul": list_of("ul"),
    "ol": list_of("ol"),
    "para": lambda lines: "<p>%s</p>" % inline(" ".join(map(str.strip, lines))),
    "code": lambda lines: "<pre>" + html.escape("\n".join(l[4:] for l in lines)) + "</pre>",
    "hr": lambda lines: ["<hr>"] * len(lines),
    "quote": lambda lines: "<blockquote>" + to_html("\n".join(re.sub("^> ?", "", l) for l in lines)) + "</blockquote>",
}

DOC = """\
# Hello, *world*!

Some **bold** and _italic_ text with `a < b` code,
a [link](http://example.org/?a=1&b=2) & more.

- one
- two **three**

1. first
2. second

> quoted
> # deep

    if a < b:
        print("x")

---
"""
result = to_html(DOC)
print(result)
assert '<h1 id="hello-world">Hello, <em>world</em>!</h1>' in result
assert "<code>a &lt; b</code>" in result
assert '<a href="http://example.org/?a=1&amp;b=2">link</a> &amp; more.' in result
assert "<ul>\n  <li>one</li>\n  <li>two <strong>three</strong></li>\n</ul>" in result
assert '<blockquote><p>quoted</p>\n<h1 id="deep">deep</h1></blockquote>' in result
assert 'if a &lt; b:\n    print(&quot;x&quot;)</pre>' in result
assert result.endswith("<hr>")
assert html.unescape("&lt;p&gt;") == "<p>"
