assert IsPalindrome("Was it a car, or a cat I saw?")
assert IsPalindrome("Never odd or even")
