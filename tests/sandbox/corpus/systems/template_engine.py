"""Templates like {{ name|upper }}, {% if %}, {% for %}, {% set %}, compiled to closures."""
import html
import re


class TemplateError(Exception):
    def __init__(self, message, lineno=None):
        super().__init__(message if lineno is None else '%s (line %d)' % (message, lineno))


class Loop:
    __slots__ = ('index', 'length')

    def __init__(self, length):
        self.index, self.length = 0, length

    first = property(lambda self: self.index == 1)
    last = property(lambda self: self.index == self.length)


class Safe(str):
    pass


FILTERS = {
    'upper': str.upper, 'lower': str.lower, 'title': str.title, 'length': len, 'safe': Safe,
    'join': lambda v, sep=', ': sep.join(map(str, v)), 'default': lambda v, d='': d if v in (None, '') else v,
    'round': lambda v, n=0: f'{v:.{int(n)}f}', 'sort': sorted,
}


def filter(func):
    FILTERS[func.__name__] = func
    return func


@filter
def truncate(text, width=10):
    """Cut long text."""
    return text if len(text) <= width else text[:width - 1] + '…'


def resolve(path, context):
    """a.b.c: items first, then attributes; callables are called."""
    if re.fullmatch(r'-?\d+(\.\d+)?', path):
        return float(path) if '.' in path else int(path)
    if path[0] in '"\'':
        return path[1:-1]
    head, *rest = path.split('.')
    if head not in context:
        return None
    value = context[head]
    for name in rest:
        try:
            value = value[int(name)] if name.isdigit() else value[name]
        except (KeyError, IndexError, TypeError):
            value = getattr(value, name, None)
        if callable(value):
            value = value()
    return value


def expression(text):
    head, *filters = text.strip().split('|')
    calls = []
    for f in filters:
        name, _, arg = f.strip().partition(':')
        if name not in FILTERS:
            raise TemplateError(f'no filter {name!r}')
        calls.append((FILTERS[name], arg))

    def evaluate(context):
        value = resolve(head.strip(), context)
        for func, arg in calls:
            value = func(value, resolve(arg, context)) if arg else func(value)
        return value
    return evaluate


def condition(text):
    if m := re.fullmatch(r'(.+?)\s*(==|!=|<|>|in)\s*(.+)', text):
        left, right = expression(m[1]), expression(m[3])
        test = {'==': lambda a, b: a == b, '!=': lambda a, b: a != b, '<': lambda a, b: a < b,
                '>': lambda a, b: a > b, 'in': lambda a, b: a in b}[m[2]]
        return lambda c: test(left(c), right(c))
    if text.startswith('not '):
        inner = condition(text[4:])
        return lambda c: not inner(c)
    return expression(text)


class Template:
    def __init__(self, source):
        self._tokens = []
        line = 1
        for tok in re.split(r'(\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\})', source, flags=re.S):
            self._tokens.append((tok, line))
            line += tok.count('\n')
        self._tokens.reverse()
        self._nodes, _ = self._block()

    def _block(self, *ends):
        nodes = []
        while self._tokens:
            tok, line = self._tokens.pop()
            if tok.startswith('{{'):
                nodes.append(self._output(expression(tok[2:-2])))
            elif tok.startswith('{%'):
                word, _, rest = tok[2:-2].strip().partition(' ')
                if word in ends:
                    return nodes, word
                try:
                    compile_tag = getattr(self, '_tag_' + word)
                except AttributeError:
                    raise TemplateError(f'unknown tag {word!r}', line) from None
                nodes.append(compile_tag(rest.strip()))
            elif tok and not tok.startswith('{#'):
                nodes.append(lambda c, tok=tok: tok)
        if ends:
            raise TemplateError('missing ' + ' or '.join(ends))
        return nodes, None

    @staticmethod
    def _output(value):
        def render(context):
            v = value(context)
            return v if isinstance(v, Safe) else '' if v is None else html.escape(str(v))
        return render

    def _tag_if(self, rest):
        test = condition(rest)
        then, end = self._block('else', 'endif')
        other = self._block('endif')[0] if end == 'else' else []
        return lambda c: _join(then if test(c) else other, c)

    def _tag_for(self, rest):
        name, _, source = rest.partition(' in ')
        items = expression(source)
        body, end = self._block('empty', 'endfor')
        empty = self._block('endfor')[0] if end == 'empty' else []

        def render(context):
            values = list(items(context) or ())
            loop, out = Loop(len(values)), []
            for loop.index, value in enumerate(values, 1):
                names = [n.strip() for n in name.split(',')]
                bound = dict(zip(names, value)) if len(names) > 1 else {name: value}
                out.append(_join(body, {**context, 'loop': loop, **bound}))
            return ''.join(out) or _join(empty, context)
        return render

    def _tag_set(self, rest):
        name, _, value = rest.partition('=')
        value = expression(value)
        return lambda c: c.__setitem__(name.strip(), value(c)) or ''

    def render(self, **context):
        return _join(self._nodes, context)


def _join(nodes, context):
    return ''.join(node(context) for node in nodes)


def test_all():
    r = lambda src, **kw: Template(src).render(**kw)
    assert r('Hello {{ name|title }}!', name='ann lee') == 'Hello Ann Lee!'
    assert r('{{ x }} {{ x|safe }}', x='<b>') == '&lt;b&gt; <b>'
    assert r('{{ user.name }} {{ user.tags.1 }} {{ nope.x|default:"?" }}', user={'name': 'A', 'tags': 'xy'}) == 'A y ?'
    assert r('{% for k, v in d.items %}{{ loop.index }}:{{ k }}={{ v }}{% if not loop.last %};{% endif %}{% endfor %}',
             d={'a': 1, 'b': 2}) == '1:a=1;2:b=2'
    assert r('{% for x in xs %}{{ x }}{% empty %}none{% endfor %}', xs=[]) == 'none'
    assert r('{% if n > 3 %}big{% else %}small{% endif %}', n=2) == 'small'
    assert r('{% set y = x|upper %}{{ y }}{# gone #}{{ pi|round:2 }}', x='q', pi=3.14159) == 'Q3.14'
    assert r('{{ t|truncate:5 }}', t='abcdefgh') == 'abcd…' and truncate.__doc__ == 'Cut long text.'
    for bad, message in (('\n{% bogus %}', "unknown tag 'bogus' (line 2)"), ('{% if x %}', 'missing else or endif'),
                         ('{{ x|nope }}', "no filter 'nope'")):
        try:
            Template(bad)
        except TemplateError as e:
            assert str(e) == message, e
        else:
            raise AssertionError(bad)


test_all()
