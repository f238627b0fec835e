# Machine code of one's own, by changing what memory may be.
# stopped by: kernel
# ends: passed
import mmap

memory = mmap.mmap(-1, 4096)
address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
reached() if attempt(lambda: system_call(10, address, 4096, 7)) == "allowed" else None
