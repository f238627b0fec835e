assert ChineseRemainder([2, 3, 2], [3, 5, 7]) == 23
