assert IsPalindrome("20-02 2002")
assert not IsPalindrome("2003")
