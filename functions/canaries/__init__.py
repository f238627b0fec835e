"""Canaries: outside projects that lock releases, and are told what changes; they stop nothing."""
