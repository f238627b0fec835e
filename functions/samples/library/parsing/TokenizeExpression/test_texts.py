for text in ("2*(30+4)", " 2 * ( 30 + 4 ) "):
    tokens = TokenizeExpression(text)
    log(" ".join(token.text for token in tokens))
    assert [token.text for token in tokens] == [
        "2",
        "*",
        "(",
        "30",
        "+",
        "4",
        ")",
    ]
