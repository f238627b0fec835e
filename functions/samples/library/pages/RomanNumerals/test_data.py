assert render(query={"n": "4"}).data == {"typed": "4", "answer": "IV"}
assert render(query={"n": "4000"}).data["answer"] == ""
