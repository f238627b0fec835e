"""One function's works, the rules that judge them, their cells and programs."""
