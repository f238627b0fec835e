# What runs when an object goes could run where nobody expects it.
# stopped by: policy
# ends: refused
class A:
    def __del__(self):
        reached(self)


A()
