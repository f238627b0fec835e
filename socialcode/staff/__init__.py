"""Staff's start page and the page of suspended accounts."""
