# Takes every space and capital letter seriously.
def IsPalindrome(text):
    return text == text[::-1]
