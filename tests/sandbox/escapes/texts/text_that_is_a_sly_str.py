# A text that reads differently for who compiles it.
# stopped by: policy
# ends: refused
class Sly(str):
    def __str__(self):
        return "1"

    lstrip = replace = encode = split = strip = lambda self, *_: "1"
    __hash__ = str.__hash__

    def __eq__(self, other):
        return True


eval("1")
reached(eval(Sly("print.__self__")))
