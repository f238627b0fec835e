"""What pages may load: ours by the settings' policy, django-rq's with styles of their own."""

from csp.constants import UNSAFE_INLINE
from csp.middleware import CSPMiddleware, PolicyParts
from django.http import HttpRequest
from django.http.response import HttpResponseBase

# Pages of django-rq, which nobody but staff gets to see. Their styles stand in their templates,
# which know no nonce, and in attributes, which can have none. (Their scripts are not let in: the
# only one does nothing, and `templates/django_rq/` leaves it out.)
PAGES_OF_DJANGO_RQ = ("/django-rq/", "/staff/django_rq/")


class PolicyMiddleware(CSPMiddleware):
    """Lets styles stand in pages of django-rq, and nowhere else."""

    def get_policy_parts(
        self, request: HttpRequest, response: HttpResponseBase, report_only: bool = False
    ) -> PolicyParts:
        """Return what the header is made of."""
        parts = super().get_policy_parts(request, response, report_only)
        # Where somebody is turned away, the page is ours.
        if request.path_info.startswith(PAGES_OF_DJANGO_RQ) and response.status_code == 200:
            parts.update = {"style-src": [UNSAFE_INLINE]}
        return parts
