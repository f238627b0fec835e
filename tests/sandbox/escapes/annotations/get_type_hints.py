# Annotations as text, by get_type_hints.
# stopped by: import
# ends: refused
from typing import get_type_hints
class A:
    x: 'print.__self__' = 0
reached(get_type_hints(A))
