# A limit of the stack that grows with every text that is compiled at its end.
# stopped by: nothing to gain
# ends: error
import sys

limit = sys.getrecursionlimit()
count = 0


def deeper():
    global count
    try:
        deeper()
    except RecursionError:
        count += 1
        try:
            eval(f"{count} + 1")
        except RecursionError:
            pass
        if sys.getrecursionlimit() != limit:
            reached(limit)
        raise


deeper()
