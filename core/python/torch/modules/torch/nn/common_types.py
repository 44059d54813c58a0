# SPDX-License-Identifier: Apache-2.0
from typing import Optional, Tuple, TypeVar, Union

from torch import Tensor

T = TypeVar('T')
_scalar_or_tuple_any_t = Union[T, Tuple[T, ...]]
_scalar_or_tuple_1_t = Union[T, Tuple[T]]
_scalar_or_tuple_2_t = Union[T, Tuple[T, T]]
_scalar_or_tuple_3_t = Union[T, Tuple[T, T, T]]
_size_any_t = _size_1_t = _size_2_t = _size_3_t = _size_4_t = _size_5_t = _size_6_t = Union[int, Tuple[int, ...]]
_size_any_opt_t = _size_2_opt_t = _size_3_opt_t = Tuple[Optional[int], ...]
_ratio_2_t = _ratio_3_t = _ratio_any_t = Union[float, Tuple[float, ...]]
_tensor_list_t = Union[Tensor, Tuple[Tensor, ...]]
_maybe_indices_t = Union[Tensor, Tuple[Tensor, Tensor]]
