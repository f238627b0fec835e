"""The forecasts of all functions of a preview, together."""

from collections.abc import Sequence

from functions.models import Effect, Preview
from functions.previews.effects import (
    CycleMember,
    Forecast,
    LookUp,
    apply_cycle,
    predict,
    propagate,
)


def forecast_all(
    preview: Preview, effects: Sequence[Effect], look_up: LookUp
) -> tuple[Forecast | None, dict[int, Forecast]]:
    """Return the forecast of the changed function (None: deleted), and of the others by id."""
    names = {row.function_id: row.function.name for row in effects}
    forecasts = {
        row.function_id: predict(
            row.candidates, row.elected, was_implemented=row.was_implemented, look_up=look_up
        )
        for row in effects
    }
    removing = preview.change in (Preview.Change.WITHDRAW, Preview.Change.REJECT)
    cycle = {
        row.function_id: CycleMember(row.function.name, row.elected, row.current)
        for row in effects
        if row.function.name in preview.circle
    }
    forecasts = apply_cycle(forecasts, cycle, falls=removing)
    own = forecasts.pop(preview.function_id, None)
    return own, propagate(forecasts, names, cycle=cycle)
