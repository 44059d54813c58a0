# SPDX-License-Identifier: Apache-2.0
"""What is measured of one step: norms, statistics, what chosen modules gave; all on the tensors' own devices."""

import time

import torch

from ._aside import is_plain
from ._statistics import Statistics
from ._tensors import tensors_in
from ._values import Values
from ._watch_device import Bundle, Updates, is_measured, local, norms, sampled
from ._watch_rows import (
    elements_text,
    gradient_row,
    is_sent,
    module_event,
    recording_rows,
    rounded,
    statistics_rows,
)

_MOST_UNITS = 1 << 16


class Parameters:
    """Those that are watched, by number; none of them is held longer than the program does."""

    def __init__(self, tree, optimizers):
        self.names, self._numbers, self.rows = [], {}, []
        for name, path, module, parameter in tree.named_parameters():
            if is_plain(local(parameter)):
                self._add(name, path, module, parameter)
        # Of a model that is spread over ranks the optimizer may have others than the modules.
        for optimizer in optimizers or ():
            for group in optimizer.param_groups:
                for parameter in group["params"]:
                    if id(parameter) not in self._numbers and is_plain(local(parameter)):
                        self._add(f"parameter {len(self.names)} of the optimizer", "", None, parameter)

    def _add(self, name, path, module, parameter):
        self._numbers[id(parameter)] = len(self.names)
        self.names.append(name)
        self.rows.append((path, module))

    def of(self, optimizer):
        """(number, parameter) of those that it steps."""
        numbers = self._numbers
        found = []
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                number = numbers.get(id(parameter))
                if number is not None:
                    found.append((number, parameter))
        return found


class Sample:
    """One step. Each part is put in once it is there; finish() gives rows, which bundle.settle() completes."""

    def __init__(self, parameters, budget, histogram):
        self._parameters = parameters
        self.bundle = Bundle()
        self._statistics = Statistics(histogram)
        count = len(parameters.names)
        self._gradient, self._weight, self._update = [None] * count, [None] * count, [None] * count
        self._weights, self._gradients = [], []
        self._shapes = [None] * count
        self._activations, self._units = [], []
        self._events, self._values, self._elements = [], Values(), {}
        self._left = budget
        self._updates = {}
        self._seen = set()
        self._calls = []
        self.began = time.perf_counter()

    # The optimizer.

    def before(self, optimizer):
        found = [(number, local(each)) for number, each in self._parameters.of(optimizer)]
        found = [(number, each) for number, each in found if is_measured(each)]
        if not found:
            return
        weights = [each.detach() for _, each in found]
        self._put(self._weight, [number for number, _ in found], norms(weights))
        gradients = []
        for number, each in found:
            gradient = each.grad if each.is_leaf else None
            if gradient is not None and is_plain(local(gradient)) and is_measured(local(gradient)):
                gradients.append((number, local(gradient).detach()))
        self._put_gradients(optimizer, gradients)
        names = self._parameters.names
        for (number, _), weight in zip(found, weights):
            self._shapes[number] = weight
            self._measure(self._weights, names[number], weight)
        for number, gradient in gradients:
            self._measure(self._gradients, names[number], gradient)
        self._updates[id(optimizer)] = [number for number, _ in found], Updates(weights)

    def _put_gradients(self, optimizer, gradients):
        numbers = [number for number, _ in gradients]
        found = norms([each for _, each in gradients])
        # A fused optimizer takes the scale of a GradScaler off by itself.
        scale = getattr(optimizer, "grad_scale", None)
        if isinstance(scale, torch.Tensor):
            found = [norm / scale.to(norm.device) for norm in found]
        self._put(self._gradient, numbers, found)

    def after(self, optimizer):
        """LBFGS and its like compute gradients in their step: then they are those of its end."""
        numbers, updates = self._updates.pop(id(optimizer), ((), None))
        if updates is None:
            return
        self._put(self._update, numbers, updates.norms())
        if not self._gradients:
            found = [(number, local(each)) for number, each in self._parameters.of(optimizer)]
            gradients = [(n, local(each.grad).detach()) for n, each in found if each.is_leaf and each.grad is not None]
            gradients = [(n, each) for n, each in gradients if is_plain(each) and is_measured(each)]
            self._put_gradients(optimizer, gradients)
            for number, gradient in gradients:
                self._measure(self._gradients, self._parameters.names[number], gradient)

    def _put(self, row, numbers, tensors):
        def then(values):
            for number, value in zip(numbers, values):
                row[number] = value

        if tensors:
            self.bundle.numbers(tensors, then)

    def _measure(self, rows, name, tensor):
        found = []
        self._statistics.measure(sampled(tensor), found.append)
        rows.append((name, found))
        return found

    # Modules.

    def has_seen(self, path):
        return path in self._seen

    def enter(self):
        call = [time.perf_counter(), 0.0]  # and the seconds of measured calls inside it
        self._calls.append(call)
        return call

    def leave(self, call):
        """(when it began, its seconds without those of measured calls inside it)"""
        seconds = time.perf_counter() - call[0]
        if call in self._calls:
            del self._calls[self._calls.index(call) :]
        if self._calls:
            self._calls[-1][1] += seconds
        return call[0], max(0.0, seconds - call[1])

    def add_call(self, path, class_name, began, seconds, result, is_chosen, units):
        """units: the dimension that they are along, 0: none."""
        self._seen.add(path)
        tensor = next((each for each in tensors_in(result) if is_plain(each)), None)
        if tensor is None or not is_measured(tensor):
            return
        tensor = tensor.detach()
        rows = self._measure(self._activations, path, tensor)
        if units and tensor.dim() > units and 1 < tensor.shape[units] <= _MOST_UNITS and tensor.numel():
            others = [each for each in range(tensor.dim()) if each != units]
            has_any = torch.count_nonzero(tensor, dim=others)
            self.bundle.tensor(has_any, lambda host: self._units.append([path, "".join("01"[not each] for each in host.tolist())]))
        if is_chosen:
            self._keep(module_event(class_name, path, began - self.began, seconds), tensor, rows)

    def _keep(self, event, tensor, rows):
        path = event.scope
        self._events.append(event)
        value = self._values.add(tensor, len(self._events), f"{path}.out")
        event.outputs.append(value.number)
        self._values.forget_last()

        def then():
            value.statistics = rows[0] if rows else None
            if value.statistics is not None:
                event.has_nan, event.has_inf = value.statistics[1] > 0, value.statistics[2] > 0

        self.bundle.call(then)
        size = tensor.numel() * tensor.element_size()
        if size <= self._left and is_sent(tensor):
            self._left -= size
            value.array = value.number
            value.strides = list(torch.empty(tensor.shape, device="meta").stride())
            value.offset = 0
            # It may be written in place before the bundle is there.
            self.bundle.tensor(
                tensor.clone(memory_format=torch.contiguous_format),
                lambda host: self._elements.__setitem__(value.number, host),
            )

    # The end.

    def finish(self):
        self._statistics.take_later(self.bundle)

    def rows(self, step, more):
        """Makers of rows, once the bundle is there: they run on the line's thread."""
        with_norm = [norm for norm in self._gradient if norm is not None]
        whole = sum(norm * norm for norm in with_norm) ** 0.5 if with_norm else None
        for rows, exact in ((self._weights, self._weight), (self._gradients, self._gradient)):
            numbers = {name: number for number, name in enumerate(self._parameters.names)}
            for name, found in rows:
                norm = exact[numbers[name]]
                if found and norm is not None and norm == norm and found[0][0] > 0:
                    found[0][10] = norm  # of all elements, where the others are of some
        return [
            lambda: {
                "kind": "sample",
                **more,
                "step": step,
                "gradient_norm": rounded([whole])[0],
                "gradient": rounded(self._gradient),
                "update": rounded(self._update),
                "weight": rounded(self._weight),
            },
            lambda: {
                "kind": "tensors",
                **more,
                "step": step,
                "weights": statistics_rows(self._weights),
                "gradients": statistics_rows(self._gradients),
                "activations": statistics_rows(self._activations),
                "units": self._units,
            },
            lambda: {
                "kind": "values",
                **more,
                "step": step,
                "rows": recording_rows(self._events, self._values.values, self._gradient_rows(), ""),
                "elements": {str(number): elements_text(host) for number, host in self._elements.items()},
            },
        ]

    def _gradient_rows(self):
        found = dict(self._gradients)
        rows = []
        for number, name in enumerate(self._parameters.names):
            weight = self._shapes[number]
            if weight is not None:
                path, module = self._parameters.rows[number]
                of_gradient = found.get(name)
                rows.append(gradient_row(name, path, module, weight, of_gradient[0] if of_gradient else None, self._weight[number]))
        return rows
