"""Revisions of functions' definitions, one per change."""

from django.contrib.auth.models import User

from functions.models import Function, FunctionRevision


def keep_revision(
    function: Function, editor: User, *, restored: FunctionRevision | None = None
) -> None:
    """Store the definition as it is now; called in the transaction of the change."""
    FunctionRevision.objects.create(
        function=function,
        editor=editor,
        name=function.name,
        signature=function.signature,
        description=function.description,
        restored=restored,
    )
