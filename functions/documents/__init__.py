"""Documents: JSON whose links to other documents are expanded in place."""
