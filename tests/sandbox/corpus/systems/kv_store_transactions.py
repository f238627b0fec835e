class KeyValueError(Exception):
    pass

class NoTransaction(KeyValueError):
    pass

class Conflict(KeyValueError):
    def __init__(self, keys):
        super().__init__('changed meanwhile: %s' % ', '.join(sorted(keys)))
        self.keys = keys

_MISSING = object()
_DELETED = object()

class Store(object):
    """A key-value store with nested transactions, like the interview question."""

    def __init__(self):
        self._layers = [{}]

    def get(self, key, default=None):
        for layer in reversed(self._layers):
            value = layer.get(key, _MISSING)
            if value is not _MISSING:
                return default if value is _DELETED else value
        return default

    def set(self, key, value):
        self._layers[-1][key] = value

    def delete(self, key):
        existed = self.get(key, _MISSING) is not _MISSING
        if len(self._layers) == 1:
            self._layers[0].pop(key, None)
        else:
            self._layers[-1][key] = _DELETED
        return existed

    def count(self, value):
        return sum(1 for k in self.keys() if self.get(k) == value)

    def keys(self):
        seen = set()
        for layer in self._layers:
            seen.update(layer)
        return sorted(k for k in seen if self.get(k, _MISSING) is not _MISSING)

    def begin(self):
        self._layers.append({})
        return self

    def commit(self):
        top = self.rollback()
        for key, value in top.items():
            if value is _DELETED and len(self._layers) == 1:
                self._layers[0].pop(key, None)
            else:
                self._layers[-1][key] = value

    def rollback(self):
        if len(self._layers) == 1:
            raise NoTransaction('no transaction')
        return self._layers.pop()

    # "with store:" is a transaction
    __enter__ = begin

    def __exit__(self, exc_type, exc, tb):
        self.rollback() if exc_type else self.commit()

    def __getitem__(self, key):
        value = self.get(key, _MISSING)
        if value is _MISSING:
            raise KeyError(key)
        return value

    __setitem__ = set

    def __delitem__(self, key):
        if not self.delete(key):
            raise KeyError(key)

    def __contains__(self, key):
        return self.get(key, _MISSING) is not _MISSING

class Versioned:
    """Optimistic concurrency: each transaction sees a snapshot and may fail to commit."""

    def __init__(self):
        self.clock = 0
        self.history = {}  # key -> [(version, value), ...]

    def read(self, key, version):
        for v, value in reversed(self.history.get(key, ())):
            if v <= version:
                return value
        return None

    def transaction(self):
        return Txn(self)

class Txn:
    def __init__(self, db):
        self.db, self.version = db, db.clock
        self.reads, self.writes = set(), {}

    def __getitem__(self, key):
        if key in self.writes:
            return self.writes[key]
        self.reads.add(key)
        return self.db.read(key, self.version)

    def __setitem__(self, key, value):
        self.writes[key] = value

    def commit(self):
        stale = {k for k in self.reads if (h := self.db.history.get(k)) and h[-1][0] > self.version}
        if stale:
            raise Conflict(stale)
        self.db.clock += 1
        for key, value in self.writes.items():
            self.db.history.setdefault(key, []).append((self.db.clock, value))

def shell(script):
    """SET a 1 / GET a / UNSET a / NUMEQUALTO 1 / BEGIN / ROLLBACK / COMMIT"""
    store, out = Store(), []
    for line in script.strip().splitlines():
        cmd, *args = line.split()
        try:
            if cmd == 'SET':
                store.set(*args)
            elif cmd == 'GET':
                out.append(store.get(args[0], 'NULL'))
            elif cmd == 'UNSET':
                store.delete(args[0])
            elif cmd == 'NUMEQUALTO':
                out.append(store.count(args[0]))
            elif cmd in ('BEGIN', 'ROLLBACK', 'COMMIT'):
                getattr(store, cmd.lower())()
            else:
                out.append('? ' + cmd)
        except NoTransaction:
            out.append('NO TRANSACTION')
    return out

def test_shell():
    assert shell('SET a 10\nBEGIN\nSET a 20\nGET a\nBEGIN\nUNSET a\nGET a\nROLLBACK\nGET a\nCOMMIT\nGET a\nROLLBACK') == \
        ['20', 'NULL', '20', '20', 'NO TRANSACTION']
    assert shell('SET a 1\nSET b 1\nNUMEQUALTO 1\nBEGIN\nUNSET b\nNUMEQUALTO 1\nCOMMIT\nGET b\nJUMP') == [2, 1, 'NULL', '? JUMP']

def test_store():
    s = Store()
    s['x'] = None
    assert 'x' in s and s['x'] is None 
    with s:
        s['y'] = 2
        del s['x']
        assert s.keys() == ['y']
    assert s.keys() == ['y']
    try:
        with s:
            s['y'] = 3
            raise RuntimeError
    except RuntimeError:
        assert s['y'] == 2
    for action in (lambda: s['nope'], lambda: s.__delitem__('nope')):
        try:
            action()
        except KeyError as e:
            assert e.args == ('nope',)
        else:
            raise AssertionError

def test_versions():
    db = Versioned()
    t = db.transaction()
    t['n'] = 1
    t.commit()
    a, b = db.transaction(), db.transaction()
    a['n'] += 1
    b['n'] += 10
    a.commit()
    assert b['n'] == 11
    try:
        b.commit()
    except Conflict as e:
        assert str(e) == 'changed meanwhile: n' and e.keys == {'n'}
    else:
        raise AssertionError
    assert [db.read('n', v) for v in range(3)] == [None, 1, 2]

if __name__ == '__main__':
    test_shell()
    test_store()
    test_versions()
