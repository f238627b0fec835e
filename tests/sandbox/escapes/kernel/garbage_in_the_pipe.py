# Garbage where frames belong.
# stopped by: supervisor
# ends: crashed
os.write(3, b"\xff" * 100)
