"""Arrays of any kind as the C library reads them."""

from typing import Any

import numpy as np
import numpy.typing as npt


def convert(value: Any, name: str) -> npt.NDArray[np.float64]:
    """Real numbers in any form -> float64 in C order. Objects, texts and complex numbers are refused."""
    if value is None:
        raise TypeError(f"{name} must be an array, not None")
    array = np.asarray(value)
    if array.size == 0 and array.dtype == object:
        raise TypeError(f"{name} holds objects, expected real numbers")
    if not np.can_cast(array.dtype, np.float64, casting="same_kind"):
        raise TypeError(f"{name} holds {array.dtype}, expected real numbers")
    return np.array(array, dtype=np.float64, order="C", copy=True)
