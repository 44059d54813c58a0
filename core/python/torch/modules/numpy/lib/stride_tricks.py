# SPDX-License-Identifier: Apache-2.0
# Views with other sizes and strides, as numpy.lib.stride_tricks makes them.
import torch
from numpy._array import ndarray, _tensor_of


def as_strided(x, shape=None, strides=None, subok=False, writeable=True):
    """strides: in bytes, as numpy counts them."""
    t = _tensor_of(x)
    width = t.element_size()
    shape = tuple(t.shape) if shape is None else (shape,) if isinstance(shape, int) else tuple(int(each) for each in shape)
    strides = [each * width for each in t.stride()] if strides is None else [strides] if isinstance(strides, int) else strides
    if any(int(each) % width for each in strides):
        raise ValueError(f'strides {tuple(strides)} are no multiples of the size of an element, {width}')
    return ndarray._of(torch.as_strided(t, shape, [int(each) // width for each in strides], t.storage_offset()))


def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
    t = _tensor_of(x)
    window_shape = (window_shape,) if isinstance(window_shape, int) else tuple(int(each) for each in window_shape)
    if any(each < 0 for each in window_shape):
        raise ValueError('`window_shape` cannot contain negative values')
    if axis is None:
        axis = tuple(range(t.ndim))
        if len(window_shape) != len(axis):
            raise ValueError(f'Since axis is None, must provide window_shape for all dimensions of `x`; got {len(window_shape)} '
                             f'window_shape elements and `x.ndim` is {t.ndim}.')
    else:
        axis = (axis,) if isinstance(axis, int) else tuple(axis)
        if len(window_shape) != len(axis):
            raise ValueError(f'Must provide matching length window_shape and axis; got {len(window_shape)} window_shape elements and '
                             f'{len(axis)} axes elements.')
    for each, size in zip(axis, window_shape):
        if t.shape[each] < size:
            raise ValueError('window shape cannot be larger than input array shape')
        t = t.unfold(each, size, 1)
    return ndarray._of(t)


def broadcast_to(array, shape, subok=False):
    return ndarray._of(_tensor_of(array).expand(shape))


def broadcast_arrays(*args, subok=False):
    return tuple(ndarray._of(each) for each in torch.broadcast_tensors(*[_tensor_of(each) for each in args]))
