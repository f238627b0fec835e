assert TitleCase("a tale of two cities") == "A Tale Of Two Cities"
