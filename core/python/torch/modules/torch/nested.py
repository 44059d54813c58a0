# SPDX-License-Identifier: Apache-2.0
# torch.nested: nested tensors, of the jagged layout and of the strided one.
import torch as _torch
import torch.nn.functional as _functional


def _length(value):
    return None if value is None else _torch.zeros(value, 0)


def _view(values, offsets, lengths=None, ragged_idx=1, min_seqlen=None, max_seqlen=None):
    return _torch._nested_view_from_jagged(values, offsets, offsets, lengths, ragged_idx, _length(min_seqlen),
                                           _length(max_seqlen))


def _is_strided(layout, what):
    if layout is None or layout == _torch.strided:
        return True
    if layout != _torch.jagged:
        raise RuntimeError(f"Specified layout is unsupported for nested {what}: {layout}")
    return False


def _from_list(tensors, dtype=None, device=None):
    if len(tensors) == 0:
        raise RuntimeError("Cannot construct a nested tensor from an empty tensor list")
    if len(set(t.dtype for t in tensors)) != 1:
        raise RuntimeError("When constructing a nested tensor, all tensors in list must have the same dtype")
    if len(set(t.device for t in tensors)) != 1:
        raise RuntimeError("When constructing a nested tensor, all tensors in list must be on the same device")
    if len(set(t.dim() for t in tensors)) != 1:
        raise RuntimeError("When constructing a nested tensor, all tensors in list must have the same dim")
    if tensors[0].dim() == 0:
        raise RuntimeError("Cannot construct a nested tensor from a list of zero-dim tensors")
    sizes = [tuple(t.shape) for t in tensors]
    ragged = [d for d in range(tensors[0].dim()) if any(size[d] != sizes[0][d] for size in sizes)]
    if len(ragged) > 1:
        raise RuntimeError("Cannot represent given tensor list as a nested tensor with the jagged layout. "
                           "Note that the jagged layout only allows for a single ragged dimension. "
                           "For example: (B, *, D_0, D_1, ..., D_N), with ragged * dim.")
    dim = ragged[0] if ragged else 0
    values = _torch.cat(tensors, dim=dim)
    if device is not None:
        values = values.to(device=device)
    if dtype is not None:
        values = values.to(dtype=dtype)
    lengths = [size[dim] for size in sizes]
    offsets = _functional.pad(_torch.tensor(lengths, device=values.device).cumsum(0), (1, 0))
    return _view(values, offsets, None, dim + 1, min(lengths), max(lengths))


def nested_tensor(tensor_list, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    is_strided = _is_strided(layout, "tensors")
    if is_strided and not isinstance(tensor_list, list):
        raise TypeError("Only lists (List[Tensor] and List[List...[Scalar]]) are accepted in nested_tensor")
    with _torch.no_grad():
        tensors = [t if isinstance(t, _torch.Tensor) else _torch.as_tensor(t) for t in tensor_list]
        if is_strided:
            if requires_grad and not all(t.is_floating_point() or t.is_complex() for t in tensors):
                raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
            nested = _torch._nested_tensor_from_tensor_list(tensors, dtype, None, device).detach()
        else:
            nested = _from_list(tensors, dtype, device).detach()
    nested.requires_grad_(requires_grad)
    return nested


def as_nested_tensor(ts, dtype=None, device=None, layout=None):
    if not isinstance(ts, _torch.Tensor) and not (
            isinstance(ts, (list, tuple)) and all(isinstance(t, _torch.Tensor) for t in ts)):
        raise TypeError("as_nested_tensor(): Expected first argument to be a tensor or a list / tuple of tensors ")
    if isinstance(ts, _torch.Tensor):
        if ts.dim() < 2:
            raise RuntimeError("as_nested_tensor(): Expected tensor argument to have dim() > 1")
        if ts.is_nested:
            if (_torch.strided if layout is None else layout) != ts.layout:
                raise RuntimeError(
                    "as_nested_tensor(): Converting between nested tensor layouts is not supported")
            return ts if dtype is None else ts.to(dtype=dtype)
    if _is_strided(layout, "tensors"):
        if isinstance(ts, _torch.Tensor):
            buffer = ts.reshape(-1).to(device=device, dtype=dtype)
            sizes = _torch.tensor([t.shape for t in ts])
            return _torch._nested_view_from_buffer(buffer, sizes,
                                                   *_torch._nested_compute_contiguous_strides_offsets(sizes))
        return _torch._nested_tensor_from_tensor_list(list(ts), dtype, None, device)
    if isinstance(ts, _torch.Tensor):
        values = ts.flatten(0, 1)
        if dtype is not None:
            values = values.to(dtype=dtype)
        batch, length = ts.shape[0], ts.shape[1]
        offsets = _torch.arange(0, batch * length + 1, length) if length else _torch.zeros(batch + 1, dtype=_torch.int64)
        return _view(values, offsets, min_seqlen=length, max_seqlen=length)
    return _from_list(list(ts), dtype, device)


def nested_tensor_from_jagged(values, offsets=None, lengths=None, jagged_dim=None, min_seqlen=None, max_seqlen=None):
    if offsets is None:
        if lengths is None:
            raise RuntimeError("nested_tensor_from_jagged(): At least one of offsets or lengths is required.")
        offsets = _functional.pad(lengths.cumsum(0), (1, 0))
        lengths = None
    if jagged_dim is None:
        jagged_dim = 1
    elif jagged_dim < 1:
        raise ValueError(f"Expected jagged_dim >=1, but got {jagged_dim}.")
    return _view(values, offsets, lengths, jagged_dim, min_seqlen, max_seqlen)


def narrow(tensor, dim, start, length, layout=_torch.strided):
    if not isinstance(start, (int, _torch.Tensor)):
        raise RuntimeError("start must be an integer or a tensor")
    if not isinstance(length, (int, _torch.Tensor)):
        raise RuntimeError("length must be an integer or a tensor")
    if _is_strided(layout, "narrow"):
        if isinstance(start, _torch.Tensor) or isinstance(length, _torch.Tensor):
            raise RuntimeError("start and length must be integers for the strided layout NT impl")
        return as_nested_tensor(_torch.unbind(tensor), layout=_torch.strided).narrow(dim, start, length)
    if dim != 1:
        raise RuntimeError("jagged layout only supports dim=1")
    batch, size = tensor.shape[0], tensor.shape[1]
    starts = (_torch.tensor([start]) if isinstance(start, int) else start).expand(batch)
    lengths = (_torch.tensor([length]) if isinstance(length, int) else length).expand(batch)
    steps = size * _torch.arange(0, batch, dtype=_torch.int64)
    offsets = _torch.cat([starts + steps, (starts[-1] + steps[-1] + lengths[-1]).unsqueeze(0)])
    values = tensor.view(-1, *tensor.shape[2:])
    least, most = int(lengths.min()), int(lengths.max())
    is_whole = (not bool((lengths[1:-1] != size).any()) and not bool((offsets[1:-2].diff() != size).any())
                and int(offsets[0] + lengths[0]) == size)
    if is_whole:
        return _view(values[int(offsets[0]):int(offsets[-1])], offsets - offsets[0], None, 1, least, most)
    return _view(values, offsets, lengths, 1, least, most)


def masked_select(tensor, mask):
    lengths = mask.expand(tensor.shape).sum(dim=tensor.ndim - 1).view(-1)
    return _view(tensor.masked_select(mask), _functional.pad(lengths.cumsum(dim=0), (1, 0)))


def to_padded_tensor(input, padding, output_size=None, out=None):
    return input.to_padded_tensor(padding, output_size)
