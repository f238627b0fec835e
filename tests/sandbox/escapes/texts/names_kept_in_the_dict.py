# The builtins and marks of a text, left in the dict that it was given.
# stopped by: nothing to gain
# ends: passed
names = {}
exec("import math\nx = math.pi\nassert x > 3", names)
for name in names:
    if name.startswith("_"):
        reached(names[name])
