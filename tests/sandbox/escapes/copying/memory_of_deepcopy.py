# The memory of a deep copy may be the user's own, and tells of the user's own.
# stopped by: nothing to gain
# ends: passed
import copy


class Memory(dict):
    def get(self, key, default=None):
        return default


assert copy.deepcopy([[1]], Memory()) == [[1]]
