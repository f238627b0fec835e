# Control characters are text like any other.
# stopped by: nothing to gain
# ends: passed
print("\x1b[2J\x1b]0;title\x07\r\x08\x7f\x00\ud800\u202e")
