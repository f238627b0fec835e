assert WordCount("no, no; NO!") == {"no": 3}
