# More than anybody wants to read.
# stopped by: supervisor
# ends: output_limit
while True:
    print("x" * 1000)
