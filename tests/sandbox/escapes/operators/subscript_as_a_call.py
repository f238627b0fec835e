# A subscript of a class is a call of its own method, and of nobody else's.
# stopped by: nothing to gain
# ends: passed
class A:
    def __class_getitem__(cls, key):
        return key


assert A[print] is print
