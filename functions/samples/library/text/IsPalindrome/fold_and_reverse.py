# <<FoldText>> decides what is heard, <<ReverseText>> turns it round.
def IsPalindrome(text):
    heard = FoldText(text)
    return heard == ReverseText(heard)
