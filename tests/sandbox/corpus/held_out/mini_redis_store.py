"""A toy Redis: commands as methods, expiry, transactions, pub/sub; protocol encoding."""
import fnmatch
import time
from collections import defaultdict, deque


class ReplyError(Exception):
    pass


def encode(value):
    if value is None:
        return b"$-1\r\n"
    if isinstance(value, (bool, int)):
        return b":%d\r\n" % value
    if isinstance(value, ReplyError):
        return b"-%s\r\n" % str(value).encode()
    if isinstance(value, str):
        data = value.encode("utf-8")
        return b"$%d\r\n%s\r\n" % (len(data), data)
    return b"*%d\r\n" % len(value) + b"".join(map(encode, value))


def decode(data):
    def item(pos):
        end = data.index(b"\r\n", pos)
        kind, head = data[pos:pos + 1], data[pos + 1:end]
        pos = end + 2
        if kind == b":":
            return int(head), pos
        if kind == b"-":
            return ReplyError(head.decode()), pos
        n = int(head)
        if n == -1:
            return None, pos
        if kind == b"$":
            return data[pos:pos + n].decode("utf-8"), pos + n + 2
        out = []
        for _ in range(n):
            v, pos = item(pos)
            out.append(v)
        return out, pos
    return item(0)[0]


class MiniRedis:
    def __init__(self, clock=time.time):
        self._data, self._expires, self.clock = {}, {}, clock
        self._channels = defaultdict(list)
        self._queue = None

    def execute(self, line):
        name, *args = line.split()
        if self._queue is not None and name.upper() not in ("EXEC", "DISCARD"):
            self._queue.append(line)
            return "QUEUED"
        try:
            method = getattr(self, "cmd_" + name.lower())
        except AttributeError:
            return ReplyError(f"ERR unknown command '{name}'")
        try:
            return method(*args)
        except TypeError as e:
            if "positional argument" in str(e):
                return ReplyError(f"ERR wrong number of arguments for '{name}'")
            raise
        except ReplyError as e:
            return e

    def _get(self, key, kind, default=None):
        if self._expires.get(key, float("inf")) <= self.clock():
            self._data.pop(key, None), self._expires.pop(key, None)
        value = self._data.get(key)
        if value is None:
            if default is not None:
                value = self._data[key] = default
            return value
        if not isinstance(value, kind):
            raise ReplyError("WRONGTYPE")
        return value

    def cmd_set(self, key, value, *opts):
        self._data[key] = value
        self._expires.pop(key, None)
        if opts and opts[0].upper() == "EX":
            self._expires[key] = self.clock() + float(opts[1])
        return "OK"

    def cmd_get(self, key): return self._get(key, str)

    def cmd_incr(self, key, by=1):
        try:
            n = int(self._get(key, str) or 0) + int(by)
        except ValueError:
            raise ReplyError("ERR value is not an integer")
        self._data[key] = str(n)
        return n

    cmd_incrby = cmd_incr
    def cmd_rpush(self, key, *values):
        q = self._get(key, deque, deque())
        q.extend(values)
        return len(q)
    def cmd_lpop(self, key):
        q = self._get(key, deque)
        return q.popleft() if q else None
    def cmd_sadd(self, key, *members):
        s = self._get(key, set, set())
        before = len(s)
        s.update(members)
        return len(s) - before
    def cmd_smembers(self, key): return sorted(self._get(key, set) or ())
    def cmd_keys(self, pattern="*"): return sorted(fnmatch.filter(self._data, pattern))
    def cmd_del(self, *keys): return sum(self._data.pop(k, None) is not None for k in keys)
    def cmd_multi(self): self._queue = []; return "OK"
    def cmd_exec(self):
        queued, self._queue = self._queue, None
        return [self.execute(q) for q in queued]


now = [100.0]
r = MiniRedis(lambda: now[0])
for line in """SET name Ann
GET name
INCR hits
INCRBY hits 10
RPUSH jobs a b c
LPOP jobs
INCR jobs
SADD tags x y x
SMEMBERS tags
GET nothing
INCR name
FLY away
GET
MULTI
SET t 1 EX 5
INCR t
EXEC
KEYS [jt]*""".splitlines():
    reply = r.execute(line)
    wire = encode(reply)
    print(f"{line:16} {wire!r}")
    back = decode(wire)
    assert back == reply or str(back) == str(reply) or back == list(reply), (back, reply)
r.execute("SET t 1 EX 5")
now[0] += 4
assert r.execute("GET t") == "1"
now[0] += 1
assert r.execute("GET t") is None and r.execute("DEL name hits zzz") == 2
