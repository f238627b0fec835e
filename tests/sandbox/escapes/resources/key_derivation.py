# A hash that is made to need memory.
# stopped by: supervisor
# ends: refused
import hashlib

reached(len(hashlib.scrypt(b"x", salt=b"y", n=2**20, r=64, p=1, maxmem=2**31 - 1)))
