# An exception that isn't an Exception ends a run like any other.
# stopped by: supervisor
# ends: error
class Out(BaseException):
    pass


raise Out
