"""The page whose rendering is measured, and the function that it calls."""

NAME = "Shop"
FUNCTION = """
def Prices(first):
    return [{"name": f"<item {n}>", "price": n * 1.5} for n in range(first, first + 20)]
"""
PAGE = """\
{# <<Prices>> #}<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Shop</title></head>
<body>
<h1>{{ query.title or "Shop" }}</h1>
<table>
{% for item in Prices(query.first|int) %}
  <tr class="{{ loop.cycle('odd', 'even') }}">
    <td>{{ item.name }}</td><td>{{ "%.2f"|format(item.price) }}</td>
  </tr>
{% endfor %}
</table>
</body>
</html>
"""
