# Guards of one's own, among the names for a text and among its builtins.
# stopped by: guard
# ends: refused
def lax(*things):
    reached(things)


mine = {
    "__written_here__": 1,
    "_write_": lax,
    "_getattr_": lax,
    "_dunders_": lax,
    "_quick_": {type},
}
text = "import math\nmath.pi = 3"
for names in (mine, {"__builtins__": mine}, {"__builtins__": {**mine, "__import__": lax}}):
    try:
        exec(text, dict(names))
        exec(text, {}, dict(names))
    except ImportError:
        exec("thing.x = 3", {**names, "thing": print})
import math

reached(math.pi)
