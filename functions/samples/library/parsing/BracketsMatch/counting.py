# Counts each kind, and doesn't mind the order.
def BracketsMatch(text):
    pairs = ("()", "[]", "{}")
    return all(
        text.count(opening) == text.count(closing)
        for opening, closing in pairs
    )
