# A buffer lends its memory to the stream beneath, which keeps it when the buffer is gone: memory
# of others to read and to write, and so the whole process. It was open once.
# stopped by: import
# ends: refused
import io

kept = []


class Raw(io.RawIOBase):
    def readable(self):
        return True

    def readinto(self, memory):
        kept.append(memory)
        return 0


reader = io.BufferedReader(Raw(), 4096)
reader.read(1)
del reader
reached(bytes(kept[0][:16]))
