# SPDX-License-Identifier: Apache-2.0
"""Numbers of tensors that are brought to the host without the program waiting for its device."""

import torch

from ._pieces import dense

MOST_SAMPLED = 1 << 16  # elements of a tensor that its histogram is made of
_FULL_UPDATES = 256 << 20  # bytes of parameters, up to which the update is that of all their elements

_foreach_norm = getattr(torch, "_foreach_norm", None)
_foreach_sub_ = getattr(torch, "_foreach_sub_", None)
_PRECISE = (torch.float32, torch.float64)


def local(tensor):
    """Of a tensor that is spread over ranks the part that is here."""
    part = getattr(tensor, "_local_tensor", None)
    return part if isinstance(part, torch.Tensor) else tensor


def is_measured(tensor):
    return (
        tensor.layout == torch.strided
        and not tensor.is_quantized
        and tensor.device.type != "meta"
        and (tensor.is_floating_point() or tensor.is_complex())
        and not tensor.is_nested
    )


def sampled(tensor, most=MOST_SAMPLED):
    """Elements evenly spaced, as a view where that can be: all of a small tensor."""
    count = tensor.numel()
    if count <= most:
        return tensor
    row = dense(tensor)
    if row is None:
        row = tensor.flatten()
    apart = -(-count // most) | 1
    # Not always the same column.
    while any(size % apart == 0 for size in tensor.shape if size > 1):
        apart += 2
    return row[::apart]


def norms(tensors):
    """The l2 norm of each, a tensor without dimensions on its device, none narrower than float32."""
    found = [None] * len(tensors)
    groups = {}
    for number, tensor in enumerate(tensors):
        if tensor.numel() == 0:
            found[number] = torch.zeros((), device=tensor.device)
        elif _foreach_norm is not None and tensor.dtype in _PRECISE:
            groups.setdefault((tensor.device, tensor.dtype), []).append(number)
        else:
            found[number] = torch.linalg.vector_norm(tensor if tensor.dtype in _PRECISE or tensor.is_complex() else tensor.float())
    for numbers in groups.values():
        for number, norm in zip(numbers, _foreach_norm([tensors[each] for each in numbers])):
            found[number] = norm
    return found


class Updates:
    """How far an optimizer moves parameters: what they were before, and norms of the difference."""

    def __init__(self, parameters):
        whole = sum(each.numel() * each.element_size() for each in parameters) <= _FULL_UPDATES
        self._views = [each if whole else sampled(each) for each in parameters]
        self._factors = [(each.numel() / max(1, view.numel())) ** 0.5 for each, view in zip(parameters, self._views)]
        self._before = [view.clone() for view in self._views]

    def norms(self):
        before, views = self._before, self._views
        self._before = self._views = None
        if _foreach_sub_ is not None and before:
            for device in {each.device for each in before}:
                here = [number for number, each in enumerate(before) if each.device == device]
                _foreach_sub_([before[each] for each in here], [views[each] for each in here])
        else:
            for was, now in zip(before, views):
                was.sub_(now)
        return [norm * factor if factor != 1 else norm for norm, factor in zip(norms(before), self._factors)]


class Bundle:
    """Tensors on their way to the host. then(values) is called by settle(), or by wait()."""

    def __init__(self):
        self._parts = []
        self._then = []
        self._events = []

    def numbers(self, tensors, then):
        """Those without dimensions: then(list of floats), in one copy a device."""
        groups = {}
        for number, tensor in enumerate(tensors):
            groups.setdefault(tensor.device, []).append(number)
        out = [None] * len(tensors)
        hosts = []
        for device, here in groups.items():
            row = torch.stack([tensors[each].to(torch.float64 if device.type != "mps" else torch.float32) for each in here])
            hosts.append((here, self._to_host(row)))

        def bring():
            for here, host in hosts:
                for each, value in zip(here, host.tolist()):
                    out[each] = value
            then(out)

        self._then.append(bring)

    def tensor(self, tensor, then):
        """then(the tensor on the CPU)"""
        host = self._to_host(tensor)
        self._then.append(lambda: then(host))

    def call(self, then):
        """Behind what was put in before."""
        self._then.append(then)

    def _to_host(self, tensor):
        if tensor.device.type != "cuda":
            return tensor.cpu()
        host = torch.empty(tensor.shape, dtype=tensor.dtype, pin_memory=True)
        host.copy_(tensor, non_blocking=True)
        event = torch.cuda.Event()
        event.record(torch.cuda.current_stream(tensor.device))
        self._events.append((event, tensor))
        return host

    def is_there(self):
        return all(event.query() for event, _ in self._events)

    def settle(self):
        for event, _ in self._events:
            event.synchronize()
        self._events = []
        then, self._then = self._then, []
        for each in then:
            each()
