assert TitleCase("don't panic") == "Don't Panic"
