_ROWS, _COLUMNS = 6, 7


def DropPieces(moves):
    columns = [[] for _ in range(_COLUMNS)]
    for number, column in enumerate(moves):
        if column not in range(_COLUMNS):
            raise ValueError("There is no such column.")
        if len(columns[column]) == _ROWS:
            raise ValueError(f"Column {column + 1} is full.")
        columns[column].append(1 + number % 2)
    filled = [column + [0] * (_ROWS - len(column)) for column in columns]
    return [[column[row] for column in filled] for row in reversed(range(_ROWS))]
