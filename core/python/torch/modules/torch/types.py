# SPDX-License-Identifier: Apache-2.0
# Names of types for annotations.
from typing import Any, List, Optional, Sequence, Tuple, Union

import torch
from torch import Tensor

Number = Union[int, float, bool]
Device = Optional[Union[torch.device, str, int]]
DeviceLikeType = Union[str, torch.device, int]
Storage = Any
FileLike = Any
IntLikeType = FloatLikeType = BoolLikeType = Number
