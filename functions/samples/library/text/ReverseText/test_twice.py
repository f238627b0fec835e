for text in ("a b", "\U0001f98a and \U0001f407", "e\u0301e", "zwölf"):
    assert ReverseText(ReverseText(text)) == text
