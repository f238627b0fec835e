# A frame that says the run has passed, without the token.
# stopped by: supervisor
# ends: crashed
body = bytes(16) + b'{"verdict":"passed","message":"","module":null,"line":null,"trace":[],"value":null}'
os.write(3, struct.pack("<BI", 5, len(body)) + body)
os._exit(0)
