assert FromRoman("xlii") == 42
