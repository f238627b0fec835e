# What `print` is told to print to gets the text, and never the stream.
# stopped by: nothing to gain
# ends: passed
class File:
    def write(self, text):
        return len(text)

    def flush(self):
        pass


print("x", file=File(), flush=True)
