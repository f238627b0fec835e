# Iterators within iterators: following them overflows the stack of the process.
# stopped by: supervisor
# ends: crashed | memory_limit | passed
it = iter(())
for _ in range(300_000):
    it = map(abs, it)
list(it)
