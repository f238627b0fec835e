assert FoldText("Hello") == FoldText("hELLO") == "hello"
