assert Slugify("Go 東京 now") == "go-now"
