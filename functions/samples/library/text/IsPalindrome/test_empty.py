assert IsPalindrome("") is True
assert IsPalindrome("?!") is True
