# SPDX-License-Identifier: Apache-2.0
# Arrays joined, split, reshaped, padded.
import builtins as _builtins
import torch as _torch
from numpy._array import array, ndarray, _axes, _promoted, _result, _tensor_of
from numpy._making import asarray


def _joined(function):
    def apply(arrays, axis=0, **kwargs):
        parts = [_tensor_of(each) for each in arrays]
        kind = parts[0].dtype
        for part in parts[1:]:
            kind = _promoted(kind, part.dtype)
        parts = [part.to(kind) for part in parts]
        if axis is None:
            parts, axis = [part.reshape(-1) for part in parts], 0
        return ndarray._of(function(parts, dim=axis))
    return apply


concatenate = concat = _joined(_torch.cat)
stack = _joined(_torch.stack)


def vstack(tup):
    return concatenate([atleast_2d(each) for each in tup], 0)


def hstack(tup):
    parts = [atleast_1d(each) for each in tup]
    return concatenate(parts, 0 if parts[0].ndim == 1 else 1)


def dstack(tup):
    return concatenate([atleast_3d(each) for each in tup], 2)


def column_stack(tup):
    return concatenate([each.reshape(-1, 1) if each.ndim == 1 else each for each in map(asarray, tup)], 1)


row_stack = vstack


def atleast_1d(a):
    a = asarray(a)
    return a if a.ndim else a.reshape(1)


def atleast_2d(a):
    a = atleast_1d(a)
    return a if a.ndim > 1 else a.reshape(1, -1)


def atleast_3d(a):
    a = atleast_2d(a)
    return a if a.ndim > 2 else a.reshape(a.shape + (1,)) if a.shape[0] != 1 else a.reshape(1, -1, 1)


def split(ary, indices_or_sections, axis=0):
    t = _tensor_of(ary)
    if isinstance(indices_or_sections, int) and t.shape[axis] % indices_or_sections:
        raise ValueError('array split does not result in an equal division')
    return array_split(ary, indices_or_sections, axis)


def array_split(ary, indices_or_sections, axis=0):
    how = indices_or_sections if isinstance(indices_or_sections, int) else [int(each) for each in indices_or_sections]
    return [ndarray._of(each) for each in _torch.tensor_split(_tensor_of(ary), how, dim=axis)]


def _shaped(name):
    return lambda a, *args, **kwargs: getattr(asarray(a), name)(*args, **kwargs)


reshape, ravel, squeeze, transpose, swapaxes, repeat = map(_shaped, ('reshape', 'ravel', 'squeeze', 'transpose', 'swapaxes', 'repeat'))
argsort, copy, nonzero, diagonal, trace, take = map(_shaped, ('argsort', 'copy', 'nonzero', 'diagonal', 'trace', 'take'))
permute_dims = transpose


def shape(a):
    return asarray(a).shape


def ndim(a):
    return asarray(a).ndim


def size(a, axis=None):
    return asarray(a).size if axis is None else asarray(a).shape[axis]


def expand_dims(a, axis):
    t = _tensor_of(a)
    axes = (axis,) if isinstance(axis, int) else axis
    for each in sorted([each % (t.dim() + len(axes)) for each in axes]):
        t = t.unsqueeze(each)
    return ndarray._of(t)


def moveaxis(a, source, destination):
    return ndarray._of(_torch.movedim(_tensor_of(a), source, destination))


def rollaxis(a, axis, start=0):
    return moveaxis(a, axis, start - 1 if axis < start else start)


def broadcast_to(a, shape):
    return ndarray._of(_tensor_of(a).expand(shape))


def broadcast_arrays(*args):
    return tuple(ndarray._of(each) for each in _torch.broadcast_tensors(*[_tensor_of(each) for each in args]))


def tile(A, reps):
    return ndarray._of(_torch.tile(_tensor_of(A), (reps,) if isinstance(reps, int) else tuple(reps)))


def flip(m, axis=None):
    t = _tensor_of(m)
    return ndarray._of(t.flip(_axes(axis, t)))


fliplr = lambda m: flip(m, 1)
flipud = lambda m: flip(m, 0)


def rot90(m, k=1, axes=(0, 1)):
    return ndarray._of(_torch.rot90(_tensor_of(m), k, axes))


def roll(a, shift, axis=None):
    return ndarray._of(_torch.roll(_tensor_of(a), shift, axis) if axis is not None else _torch.roll(_tensor_of(a), shift))


def pad(array, pad_width, mode='constant', constant_values=0, **kwargs):
    t = _tensor_of(array)
    widths = _tensor_of(pad_width).expand(t.dim(), 2).tolist() if not isinstance(pad_width, int) else [[pad_width, pad_width]] * t.dim()
    if mode == 'constant':
        return ndarray._of(_torch.nn.functional.pad(t, [each for pair in reversed(widths) for each in pair], value=constant_values))
    for axis, (before, after) in enumerate(widths):
        n = t.shape[axis]
        places = _torch.arange(-before, n + after)
        if mode == 'edge':
            places = places.clamp(0, n - 1)
        elif mode == 'wrap':
            places = places % n
        elif mode in ('reflect', 'symmetric'):
            period = _builtins.max(2 * n - 2, 1) if mode == 'reflect' else 2 * n
            places = places % period
            places = _torch.where(places >= n, (period if mode == 'reflect' else period - 1) - places, places)
        else:
            raise NotImplementedError(f'pad mode {mode} is not available here')
        t = t.index_select(axis, places)
    return ndarray._of(t)
