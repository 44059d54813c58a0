# SPDX-License-Identifier: Apache-2.0
"""Which forward event a node of autograd belongs to.

Since PyTorch 2.1 nodes have sequence numbers, and the node that runs can be asked for. Before, a node is found at the
result of its operator, and a hook behind it says which events were its own.
"""

import weakref

import torch

_MOST_CANDIDATES = 64  # events looked through for the one that made a view


class NumberedNodes:
    """PyTorch 2.1 and later."""

    def __init__(self, on_node, claim):
        self._on_node = on_node
        self._events = {}  # sequence number: event
        self._last = None
        self._outer = range(0)  # of nodes made before one of an operator in another
        self._seen = set()

    def before_forward(self, event):
        """An operator is about to run; its node was made just before."""
        sequence = torch.autograd._get_sequence_nr()
        before = sequence - 1 if self._last is None else self._last
        self._last = sequence
        if sequence == before:
            # hardswish_ clones what it saves: its node is made, then that of clone, which runs, then hardswish_ itself.
            for number in self._outer:
                self._events[number] = event
            self._outer = range(0)
        elif torch.is_grad_enabled():
            for number in range(before, sequence):
                self._events[number] = event
            self._outer = range(before, sequence - 1)

    def after_forward(self, event, op, results):
        pass

    def settle(self):
        pass

    def end(self):
        pass

    def running(self):
        return torch._C._current_autograd_node()

    def event_of(self, node):
        """0: of none that was seen."""
        return self._events.get(node._sequence_nr(), 0)

    def meet(self, node):
        """`node` runs: on_node(node, event) the first time."""
        key = node._sequence_nr()
        event = self._events.get(key, 0)
        if event and key not in self._seen:
            self._seen.add(key)
            self._on_node(node, event)
        return event


def _plain(name):
    return name.rpartition("::")[2].replace("_", "").rstrip("0123456789").lower()


class HookedNodes:
    """PyTorch before 2.1. claim(event, node): the events since the last claim were the node's."""

    _KEY = "tensorloupe"

    def __init__(self, on_node, claim):
        self._on_node = on_node
        self._claim = claim
        self._pending = []
        self._unmatched = []  # (event, plain name of its operator)
        self._handles = []

    def before_forward(self, event):
        pass

    def after_forward(self, event, op, results):
        if torch.is_grad_enabled() and results:
            self._pending.append((event, [weakref.ref(each) for each in results]))
            self._unmatched.append((event, _plain(op)))

    def settle(self):
        """Results have their nodes by now."""
        pending, self._pending = self._pending, []
        for event, results in pending:
            for reference in results:
                tensor = reference()
                node = tensor.grad_fn if tensor is not None and tensor.requires_grad else None
                if node is not None:
                    self._adopt(node, event)
                    break

    def end(self):
        self._pending = []
        for handle in self._handles:
            handle.remove()
        self._handles = []

    def _adopt(self, node, event):
        if self._KEY in node.metadata:
            return
        node.metadata[self._KEY] = event
        self._unmatched = [each for each in self._unmatched[-_MOST_CANDIDATES:] if each[0] != event]
        if event:
            self._on_node(node, event)
        claim = self._claim
        name, variable = node.name(), getattr(node, "variable", None)
        self._handles.append(node.register_hook(lambda *_: claim(event, name, variable)))
        for before, _ in node.next_functions:
            # What a view made is another tensor by now: its event is the last of that name.
            if before is not None and self._KEY not in before.metadata:
                wanted = _plain(before.name()[: -len("Backward0")] if "Backward" in before.name() else before.name())
                found = [each for each, op in self._unmatched if op == wanted and each < (event or each + 1)]
                self._adopt(before, found[-1] if found else 0)

    def running(self):
        return None

    def event_of(self, node):
        return node.metadata.get(self._KEY, 0)

    def meet(self, node):
        return 0


def make_nodes(on_node, claim):
    is_new = hasattr(torch._C, "_current_autograd_node") and hasattr(torch.autograd, "_get_sequence_nr")
    return (NumberedNodes if is_new else HookedNodes)(on_node, claim)
