# SPDX-License-Identifier: Apache-2.0
from typing import Any, Dict, Iterable, Tuple, TypeAlias, Union

from torch import Tensor
from torch.optim import Optimizer

required = object()
ParamsT: TypeAlias = Union[Iterable[Tensor], Iterable[Dict[str, Any]], Iterable[Tuple[str, Tensor]]]
