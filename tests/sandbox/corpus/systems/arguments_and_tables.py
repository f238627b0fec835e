"""A command line parser of one's own, and the tables its little program prints."""
import re
import sys
import unicodedata
from collections import namedtuple
from itertools import zip_longest

Option = namedtuple('Option', 'names dest type default help flag many', defaults=(str, None, '', False, False))


class UsageError(SystemExit):
    def __init__(self, message):
        super().__init__(2)
        self.message = message


class Namespace:
    def __init__(self, **kw):
        self.__dict__.update(kw)

    def __repr__(self):
        return 'Namespace(' + ', '.join(f'{k}={v!r}' for k, v in sorted(self.__dict__.items())) + ')'

    def __contains__(self, name):
        return name in self.__dict__


class Parser:
    def __init__(self, prog, parent=None):
        self.prog = prog
        self._options, self._positional, self._commands = {}, [], {}
        self._handler = None
        if parent:
            self._options.update(parent._options)

    def option(self, *names, **kw):
        dest = kw.pop('dest', None) or max(names, key=len).lstrip('-').replace('-', '_')
        opt = Option(names, dest, **kw)
        for n in names:
            self._options[n] = opt
        return self

    def argument(self, name, **kw):
        self._positional.append(Option((name,), name, **kw))
        return self

    def command(self, name):
        def decorate(func):
            sub = self._commands[name] = Parser(f'{self.prog} {name}', self)
            for spec in reversed(getattr(func, '_specs', [])):
                kind, args, kw = spec
                getattr(sub, kind)(*args, **kw)
            sub._handler = func
            sub.doc = (func.__doc__ or '').strip().split('\n')[0]
            return func
        return decorate

    def fail(self, message):
        raise UsageError(f'{self.prog}: {message}')

    def _convert(self, opt, text):
        try:
            return opt.type(text)
        except ValueError as exc: self.fail(f'{opt.names[0]}: {exc}')

    def parse(self, argv):
        argv = list(argv)
        values = {o.dest: False if o.flag else [] if o.many else o.default for o in self._options.values()}
        plain = []
        while argv:
            arg = argv.pop(0)
            if arg == '--':
                plain += argv
                break
            if len(arg) > 2 and arg[0] == '-' != arg[1]:      # -abc is -a -bc or -a -b -c
                opt = self._options.get(arg[:2]) or self.fail(f'unknown option {arg[:2]}')
                argv.insert(0, '-' + arg[2:] if opt.flag else arg[2:])
                arg = arg[:2]
            name, eq, text = arg.partition('=')
            if arg.startswith('-') and arg != '-':
                if name not in self._options:
                    self.fail(f'unknown option {name}')
                opt = self._options[name]
                if opt.flag:
                    values[opt.dest] = True
                    continue
                if not eq:
                    if not argv:
                        self.fail(f'{name} needs a value')
                    text = argv.pop(0)
                value = self._convert(opt, text)
                if opt.many:
                    values[opt.dest].append(value)
                else:
                    values[opt.dest] = value
            elif self._commands and not plain:
                if arg not in self._commands:
                    self.fail(f'unknown command {arg}')
                sub = self._commands[arg]
                rest = sub.parse(argv)
                return Namespace(**{**values, **{k: v for k, v in vars(rest).items() if v or k not in values}})
            else:
                plain.append(arg)
        for opt in self._positional:
            if opt.many:
                values[opt.dest], plain = [self._convert(opt, p) for p in plain], []
            elif plain:
                values[opt.dest] = self._convert(opt, plain.pop(0))
            elif opt.default is None:
                self.fail(f'missing {opt.dest}')
            else:
                values[opt.dest] = opt.default
        if plain:
            self.fail('too many arguments: ' + ' '.join(plain))
        return Namespace(**values, handler=self._handler)

    def run(self, line):
        args = self.parse(a or b for a, b in re.findall(r'"([^"]*)"|(\S+)', line))
        return args.handler(args)

    def help(self):
        rows = [(', '.join(o.names), o.help) for o in dict.fromkeys(self._options.values())]
        rows += [(name, sub.doc) for name, sub in self._commands.items()]
        return f'usage: {self.prog}\n' + table(rows, border=False)


def option(*args, **kw):
    return lambda f: f.__dict__.setdefault('_specs', []).append(('option', args, kw)) or f


def argument(*args, **kw):
    return lambda f: f.__dict__.setdefault('_specs', []).append(('argument', args, kw)) or f


def width(text):
    return sum(2 if unicodedata.east_asian_width(c) in 'WF' else 0 if unicodedata.combining(c) else 1 for c in text)


def pad(text, size, align='<'):
    gap = size - width(text)
    left = {'<': 0, '>': gap, '^': gap // 2}[align]
    return ' ' * left + text + ' ' * (gap - left)


def table(rows, header=None, *, align=None, border=True):
    rows = [[f'{c:.2f}' if isinstance(c, float) else str(c) for c in r] for r in ([header] if header else []) + list(rows)]
    columns = list(zip_longest(*rows, fillvalue=''))
    widths = [max(map(width, col)) for col in columns]
    if align is None:
        align = ['>' if all(c.lstrip('-').replace('.', '', 1).isdigit() for c in col[bool(header):]) else '<' for col in columns]
    lines = [[pad(c, w, a) for c, w, a in zip(row, widths, align)] for row in zip(*columns)]
    if not border:
        return '\n'.join('  '.join(cells).rstrip() for cells in lines)
    rule = '+' + '+'.join('-' * (w + 2) for w in widths) + '+'
    body = ['| ' + ' | '.join(cells) + ' |' for cells in lines]
    if header:
        body.insert(1, rule)
    return '\n'.join([rule, *body, rule])


cli = Parser('shop').option('-v', '--verbose', flag=True, help='say more')


@cli.command('total')
@option('-t', '--tax', type=float, default=0.0, help='in percent')
@option('-x', '--exclude', many=True)
@argument('prices', type=int, many=True)
def total(args):
    """Add prices up."""
    kept = [p for p in args.prices if str(p) not in args.exclude]
    result = sum(kept) * (1 + args.tax / 100)
    return f'{kept} -> {result:g}' if args.verbose else result


@cli.command('greet')
@argument('name')
@argument('times', type=int, default=1)
@option('--dry-run', flag=True)
def greet(args):
    return '' if args.dry_run else ' '.join(['hi ' + args.name] * args.times)


assert cli.run('total 1 2 3') == 6 and cli.run('total --tax=50 10') == 15 and cli.run('total -t10 -x 5 5 100') == 110.00000000000001
assert cli.run('-v total 1 -- -2') == '[1, -2] -> -1' and cli.run('total -vx1 1 2') == '[2] -> 2'
assert cli.run('greet "Ann Lee" 2') == 'hi Ann Lee hi Ann Lee' and cli.run('greet --dry-run x') == ''
for bad, message in (('total -q', 'shop total: unknown option -q'), ('total --tax', 'shop total: --tax needs a value'),
                     ('fly', 'shop: unknown command fly'), ('greet', 'shop greet: missing name'),
                     ('greet a 1 b', 'shop greet: too many arguments: b'),
                     ('total x', "shop total: prices: invalid literal for int() with base 10: 'x'")):
    try:
        cli.run(bad)
    except UsageError as e:
        assert e.message == message and e.code == 2, e.message
    else:
        raise AssertionError(bad)
assert cli.help() == 'usage: shop\n-v, --verbose  say more\ntotal          Add prices up.\ngreet'
text = table([('apple', 3, 1.5), ('日本', -10, 20.25), ('café', 0)], ['name', 'n', 'price'])
sys.stdout.write(text + '\n')
assert text.split('\n')[3:] == ['| apple |   3 | 1.50  |', '| 日本  | -10 | 20.25 |', '| café  |   0 |       |', '+-------+-----+-------+']
assert repr(Namespace(b=1, a='x')) == "Namespace(a='x', b=1)" and 'b' in Namespace(b=1) and pad('x', 4, '^') == ' x  '
