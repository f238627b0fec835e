# Machine code of one's own.
# stopped by: kernel
# ends: passed
import mmap

reached() if attempt(lambda: mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_EXEC)) == "allowed" else None
