"""Runs modules in JavaScript, by QuickJS, in the processes of programs."""
