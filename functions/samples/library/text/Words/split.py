# What stands between two spaces. Commas cling to it.
def Words(text):
    return text.split()
