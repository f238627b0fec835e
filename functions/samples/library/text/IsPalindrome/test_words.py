assert IsPalindrome("level")
assert IsPalindrome("noon")
assert not IsPalindrome("lever")
assert not IsPalindrome("ab")
