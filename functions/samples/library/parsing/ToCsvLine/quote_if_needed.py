def ToCsvLine(fields):
    return ",".join(_written(field) for field in fields)


def _written(field):
    if any(char in field for char in ',"\r\n'):
        doubled = field.replace('"', '""')
        return f'"{doubled}"'
    return field
