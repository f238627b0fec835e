"""Dependencies: names that works mark as <<Name>>."""

from django.db import models
from django.db.models import Q

from .function import Function
from .work import Implementation, Test


class Dependency(models.Model):
    """A name marked in a work's code; `target` is null while no function has that name."""

    implementation = models.ForeignKey(
        Implementation, on_delete=models.CASCADE, null=True, related_name="dependencies"
    )
    test = models.ForeignKey(Test, on_delete=models.CASCADE, null=True, related_name="dependencies")
    name = models.CharField(max_length=80)  # as spelled in the code
    name_key = models.CharField(max_length=80)
    is_optional = models.BooleanField(default=False, db_default=False)  # may be missing
    target = models.ForeignKey(
        Function, on_delete=models.SET_NULL, null=True, related_name="dependents"
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="dependency_of_one_work",
                condition=Q(implementation__isnull=True, test__isnull=False)
                | Q(implementation__isnull=False, test__isnull=True),
            ),
            models.UniqueConstraint(
                name="dependency_of_implementation_once",
                fields=["implementation", "name_key"],
                condition=Q(implementation__isnull=False),
            ),
            models.UniqueConstraint(
                name="dependency_of_test_once",
                fields=["test", "name_key"],
                condition=Q(test__isnull=False),
            ),
        ]
        indexes = [
            # binding the names of a new function
            models.Index(name="dependency_missing", fields=["name_key"], condition=Q(target=None))
        ]

    def __str__(self) -> str:
        return f"<<{self.name}>>"
