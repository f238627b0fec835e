# The same by a function of the text.
# stopped by: guard
# ends: refused
exec(
    "def change():\n    global MemoryError, ValueError\n    ValueError = MemoryError\nchange()",
    globals(),
)
try:
    raise MemoryError
except ValueError:
    reached()
