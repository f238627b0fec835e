# A template's names are looked up as items; a pattern of one's own changes only how.
# stopped by: nothing to gain
# ends: passed
import string


class Any:
    def __getitem__(self, key):
        return key


class Dotted(string.Template):
    idpattern = r"[a-z_.]+"


assert Dotted("$a.__class__").substitute(Any()) == "a.__class__"
