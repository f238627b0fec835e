# An exception whose text can't be had.
# stopped by: nothing to gain
# ends: error
class E(Exception):
    def __str__(self):
        raise BaseException("no")


raise E
