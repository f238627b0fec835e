# Layered configuration with ChainMap, plus a DeepChainMap that updates in place.
from collections import ChainMap


class DeepChainMap(ChainMap):
    'Variant of ChainMap that allows direct updates to inner scopes'

    def __setitem__(self, key, value):
        for mapping in self.maps:
            if key in mapping:
                mapping[key] = value
                return
        self.maps[0][key] = value

    def __delitem__(self, key):
        for mapping in self.maps:
            if key in mapping:
                del mapping[key]
                return
        raise KeyError(key)


DEFAULTS = {'color': 'red', 'user': 'guest', 'verbose': False}


def settings(env, argv):
    """Command line wins over environment, environment wins over defaults."""
    options = {}
    for arg in argv:
        if not arg.startswith('--'):
            raise ValueError('unexpected argument: %s' % arg)
        name, sep, value = arg[2:].partition('=')
        options[name] = value if sep else True
    from_env = {k[4:].lower(): v for k, v in env.items() if k.startswith('APP_')}
    return ChainMap(options, from_env, DEFAULTS)


class Scope:
    """Nested variable scopes, as an interpreter would keep them."""

    def __init__(self):
        self.vars = ChainMap()

    def __enter__(self):
        self.vars = self.vars.new_child()
        return self.vars

    def __exit__(self, exc_type, exc, tb):
        self.vars = self.vars.parents
        return False


def lookup_order():
    builtin = {f.__name__: f for f in (len, abs, sum)}
    names = ChainMap({'len': 'local len'}, {'g': 1}, builtin)
    return names['len'], names['g'], names['abs'](-3)


def test_settings():
    cfg = settings({'APP_USER': 'root', 'HOME': '/'}, ['--color=blue', '--verbose'])
    assert cfg['color'] == 'blue'
    assert cfg['user'] == 'root'
    assert cfg['verbose'] is True
    assert 'home' not in cfg
    assert sorted(cfg) == ['color', 'user', 'verbose']
    assert dict(cfg) == {'color': 'blue', 'user': 'root', 'verbose': True}
    try:
        settings({}, ['oops'])
    except ValueError as e:
        assert str(e) == 'unexpected argument: oops'
    else:
        assert False


def test_deep():
    d = DeepChainMap({'zebra': 'black'}, {'elephant': 'blue'}, {'lion': 'yellow'})
    d['lion'] = 'orange'
    d['snake'] = 'red'
    assert d.maps[2] == {'lion': 'orange'}
    assert d.maps[0] == {'zebra': 'black', 'snake': 'red'}
    del d['elephant']
    assert 'elephant' not in d
    try:
        del d['unicorn']
    except KeyError as e:
        assert e.args == ('unicorn',)
    else:
        raise AssertionError


def test_scopes():
    scope = Scope()
    scope.vars['x'] = 1
    with scope as outer:
        outer['y'] = 2
        assert outer['x'] == 1
        with scope as inner:
            inner['x'] = 99
            assert inner['x'] == 99 and outer['x'] == 1
            assert len(inner.maps) == 3
    assert list(scope.vars.items()) == [('x', 1)]
    merged = ChainMap({'a': 1}) | {'b': 2}
    assert merged == {'a': 1, 'b': 2} and isinstance(merged, ChainMap)


test_settings()
test_deep()
test_scopes()
assert lookup_order() == ('local len', 1, 3)
print('all good')
