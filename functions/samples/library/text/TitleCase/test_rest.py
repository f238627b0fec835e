assert TitleCase("the BBC and macOS") == "The BBC And MacOS"
