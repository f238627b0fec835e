assert Slugify("Hello, World!") == "hello-world"
assert Slugify("Ten Things: 10 of 10") == "ten-things-10-of-10"
