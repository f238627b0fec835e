assert Words("-- ... ' !") == []
