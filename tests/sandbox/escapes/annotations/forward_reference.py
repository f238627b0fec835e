# Annotations as text, by ForwardRef.
# stopped by: import
# ends: refused
from typing import ForwardRef
reached(ForwardRef)
