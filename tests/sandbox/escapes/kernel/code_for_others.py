# Code of a module is kept for all programs that contain it. Only a child that hasn't run anything
# of a user's yet is believed what code a module has.
# stopped by: supervisor
# ends: crashed
body = b"\x00\x00\x00\x00" + b"reached"
os.write(3, struct.pack("<BI", 2, len(body)) + body)
os._exit(0)
