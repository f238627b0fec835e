# The same after <<FoldText>>, but stops at the first difference.
def IsPalindrome(text):
    heard = FoldText(text)
    left, right = 0, len(heard) - 1
    while left < right:
        if heard[left] != heard[right]:
            return False
        left += 1
        right -= 1
    return True
