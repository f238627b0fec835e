"""Scripts of pages under Node, where no browser is needed."""
