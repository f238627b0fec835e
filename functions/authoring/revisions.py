"""Keeps what a function's definition says after each change."""

from django.contrib.auth.models import User

from functions.models import Function, FunctionRevision


def keep_revision(
    function: Function, editor: User, *, restored: FunctionRevision | None = None
) -> None:
    """Keep what the function is called, takes and does from now on; called in that transaction."""
    FunctionRevision.objects.create(
        function=function,
        editor=editor,
        name=function.name,
        signature=function.signature,
        description=function.description,
        restored=restored,
    )
