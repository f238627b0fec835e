assert Slugify("Don't Stop") == "dont-stop"
