slug = Slugify("Crème Brûlée für Zwölf")
log(f"slug: {slug}")
assert slug == "creme-brulee-fuer-zwoelf"
