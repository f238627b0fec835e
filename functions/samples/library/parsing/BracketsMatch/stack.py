CLOSING = {"(": ")", "[": "]", "{": "}"}


def BracketsMatch(text):
    expected = []
    for char in text:
        if char in CLOSING:
            expected.append(CLOSING[char])
        elif char in ")]}" and (not expected or expected.pop() != char):
            return False
    return not expected
