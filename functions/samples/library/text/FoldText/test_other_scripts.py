assert FoldText("Straße") == "strasse"
assert FoldText("ΣΊΣΥΦΟΣ") == FoldText("σίσυφος")
assert FoldText("日本!") == "日本"
