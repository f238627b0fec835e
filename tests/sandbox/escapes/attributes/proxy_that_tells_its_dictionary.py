# A mapping proxy hands the real dictionary to whatever it is compared with or joined to. The
# ones in reach hold members of enums, which mean nothing to anybody else.
# stopped by: nothing to gain
# ends: passed
import re

class Catch:
    def __eq__(self, mapping):
        mapping["LEFT"] = 1
        return True

    def __ror__(self, mapping):
        mapping["LEFT"] = 1
        return mapping


re.RegexFlag.__members__ == Catch()
re.RegexFlag.__members__ | Catch()
assert re.sub("(?i)A", "b", "aA") == "bb"
