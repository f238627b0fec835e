"""What the kernel keeps programs from: namespaces, Landlock, seccomp, and limits."""
