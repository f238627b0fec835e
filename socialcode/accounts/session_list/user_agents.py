"""Names of browsers and systems, from what browsers call themselves."""

# In this order, because most call themselves others, too.
BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("CriOS/", "Chrome"),
    ("Safari/", "Safari"),
)
SYSTEMS = (
    ("Windows", "Windows"),
    ("Android", "Android"),
    ("iPhone", "iOS"),
    ("iPad", "iPadOS"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


def browser_of(user_agent: str) -> str:
    """Return a browser and its system, such as `Firefox, Linux`; what isn't known is left out."""
    found = (
        next((name for mark, name in known if mark in user_agent), "")
        for known in (BROWSERS, SYSTEMS)
    )
    return ", ".join(filter(None, found)) or user_agent[:60]
