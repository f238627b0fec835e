# Annotations that are text by a feature of the future.
# stopped by: nothing to gain
# ends: passed
from __future__ import annotations

import dataclasses


@dataclasses.dataclass
class A:
    x: reached(1) = 0


assert A().x == 0
