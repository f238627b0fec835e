# A frame through a traceback.
# stopped by: guard
# ends: refused
class M:
    def __enter__(self): pass
    def __exit__(self, k, v, tb):
        reached(getattr(tb, 'tb_frame'))
with M(): 1 / 0
