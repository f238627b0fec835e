# The beginning of a frame, and no more.
# stopped by: supervisor
# ends: crashed
os.write(3, struct.pack("<BI", 5, 1_000_000) + b"x" * 100)
os._exit(0)
