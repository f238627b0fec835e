# Inside quotes or outside: that is all that has to be remembered.
def ParseCsvLine(line):
    fields = []
    place = 0
    while True:
        if line[place : place + 1] == '"':
            field, place = _quoted(line, place + 1)
        else:
            end = line.find(",", place)
            end = len(line) if end < 0 else end
            field, place = line[place:end], end
        fields.append(field)
        if place == len(line):
            return fields
        if line[place] != ",":
            raise ValueError(f"column {place + 1}: expected a comma")
        place += 1


def _quoted(line, place):
    field = ""
    while True:
        end = line.find('"', place)
        if end < 0:
            raise ValueError("a quote is never closed")
        field += line[place:end]
        if line[end + 1 : end + 2] != '"':
            return field, end + 1
        field += '"'
        place = end + 2
