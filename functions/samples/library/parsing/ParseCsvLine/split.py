# Works for most lines of most files. That is what makes it dangerous.
def ParseCsvLine(line):
    return [field.strip('"') for field in line.split(",")]
