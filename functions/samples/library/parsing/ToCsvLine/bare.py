# What one writes in a hurry.
def ToCsvLine(fields):
    return ",".join(fields)
