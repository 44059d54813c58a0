# SPDX-License-Identifier: Apache-2.0
from typing import Any as ArrayLike, Any as DTypeLike
from numpy._array import ndarray as NDArray
