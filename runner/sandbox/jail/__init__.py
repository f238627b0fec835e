"""Confinement by the kernel: namespaces, Landlock, seccomp and resource limits."""
