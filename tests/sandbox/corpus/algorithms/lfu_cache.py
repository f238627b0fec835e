from collections import defaultdict


class DescribeMixin:
    """Gives a __str__ to anything that has a describe()."""

    def __str__(self) -> str:
        return "<{0}: {1}>".format(self.__class__.__name__, ", ".join(self.describe()))


class LFUCache(DescribeMixin):
    """Evicts the least frequently used key; the oldest among equals.

    Example:
        cache = LFUCache(2)
        cache.put(1, 1)
        cache.get(1)        # 1
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.min_freq = 0
        self.key_to_val: dict = {}
        self.key_to_freq: dict = {}
        self.freq_to_keys: defaultdict = defaultdict(dict)

    def _touch(self, key) -> None:
        freq = self.key_to_freq[key]
        del self.freq_to_keys[freq][key]
        if not self.freq_to_keys[freq]:
            del self.freq_to_keys[freq]
            if self.min_freq == freq:
                self.min_freq += 1
        self.key_to_freq[key] = freq + 1
        self.freq_to_keys[freq + 1][key] = None

    def get(self, key, default=-1):
        if key not in self.key_to_val:
            return default
        self._touch(key)
        return self.key_to_val[key]

    def put(self, key, value) -> None:
        if self.capacity <= 0:
            return
        if key in self.key_to_val:
            self.key_to_val[key] = value
            self._touch(key)
            return
        if len(self.key_to_val) >= self.capacity:
            victim = next(iter(self.freq_to_keys[self.min_freq]))
            self.freq_to_keys[self.min_freq].pop(victim)
            self.key_to_val.pop(victim)
            self.key_to_freq.pop(victim)
        self.key_to_val[key] = value
        self.key_to_freq[key] = 1
        self.freq_to_keys[1][key] = None
        self.min_freq = 1

    def describe(self):
        for k, v in self.key_to_val.items():
            yield "{}={!r}(x{:d})".format(k, v, self.key_to_freq[k])


class Solution:
    def run(self, commands, arguments):
        results = []
        cache = None
        for command, args in zip(commands, arguments):
            if command == "LFUCache":
                cache = LFUCache(*args)
                results.append(None)
            else:
                results.append(getattr(cache, command)(*args))
        self.final = str(cache)
        return results


if __name__ == "__main__":
    solution = Solution()
    got = solution.run(
        ["LFUCache", "put", "put", "get", "put", "get", "get", "put", "get", "get", "get"],
        [[2], [1, 1], [2, 2], [1], [3, 3], [2], [3], [4, 4], [1], [3], [4]],
    )
    assert got == [None, None, None, 1, None, -1, 3, None, -1, 3, 4], got
    assert solution.final == "<LFUCache: 3=3(x3), 4=4(x2)>", solution.final
    empty = LFUCache(0)
    empty.put("a", 1)
    assert empty.get("a") == -1 and empty.get("a", None) is None
    print(solution.final)
