# Memory runs out in the text of an exception, which traceback is used to.
# stopped by: guard
# ends: memory_limit
import traceback


class A(Exception):
    def __str__(self):
        return str([0] * 10**9)


traceback.format_exception_only(A())
