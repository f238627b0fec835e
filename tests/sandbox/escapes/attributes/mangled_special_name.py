# Mangling puts the class's name in front: no name of its own can be made a special one.
# stopped by: policy
# ends: refused
class A:
    __x__ = 1

    def f(self):
        return self.__class_


reached(A().f())
