assert Words("don't say 'no'") == ["don't", "say", "no"]
assert Words("It\u2019s") == ["It\u2019s"]
