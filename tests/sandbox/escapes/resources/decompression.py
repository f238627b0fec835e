# A little that becomes a lot.
# stopped by: supervisor
# ends: memory_limit
import zlib

bomb = b""
packer = zlib.compressobj(1)
for _ in range(160):
    bomb += packer.compress(bytes(1_000_000))
zlib.decompress(bomb + packer.flush())
