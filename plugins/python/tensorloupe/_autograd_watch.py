# SPDX-License-Identifier: Apache-2.0
"""What backward is to a recording: events that stand with their forward ones, gradients by name, blocks kept for it."""

from ._aside import is_plain
from ._autograd import make_nodes
from ._saved import SavedHooks, saved_by
from ._values import ACTIVATION, GRADIENT, OTHER


class AutogradWatch:
    def __init__(self, recorder):
        self._recorder = recorder
        self.nodes = make_nodes(self._meet_node, self._claim_guarded)
        self.hooks = SavedHooks()
        self.start = None  # (event, file, line) of the first of backward
        self.savings = {}  # (block, event): the node that keeps it
        self._unclaimed = []  # backward events whose node is not known yet
        self._handles = []

    def end(self):
        self.hooks.end()
        self.nodes.end()
        for handle in self._handles:
            handle.remove()
        self._handles = []

    def place(self, event, number):
        """A backward event is about to be one of the recording."""
        if self.start is None:
            self.start = (number, event.file, event.line)
        node = self.nodes.running()
        if node is not None:
            self._follow(event, number, self.nodes.meet(node), getattr(node, "variable", None))
        else:
            self._unclaimed.append(number)

    def _claim_guarded(self, peer, name, variable):
        with self._recorder.own("whose backward an operator is"):
            unclaimed, self._unclaimed = self._unclaimed, []
            for number in unclaimed:
                self._follow(self._recorder.events[number - 1], number, peer, variable)

    def _follow(self, event, number, peer, variable):
        """A backward event stands where its forward event does, one of AccumulateGrad where its parameter does."""
        if peer == 0:
            owner = self._recorder.tree.tensor_name(variable) if variable is not None else None
            if owner is not None:
                event.scope = owner[0]
            return
        first = self._recorder.events[peer - 1]
        event.peer, event.scope = peer, first.scope
        event.file, event.line, event.depth = first.file, first.line, first.depth
        if first.backward == 0:
            first.backward = number

    def _meet_node(self, node, event):
        self._note_saved(node, event)
        # When it has run, what it made is known as gradients of what the forward event read.
        self._handles.append(node.register_hook(self._gradient_hook(node.next_functions)))

    def _note_saved(self, node, by):
        """The blocks that a node keeps for its backward."""
        recorder = self._recorder
        is_hidden = recorder.events[by - 1].is_hooked
        found = []
        if not is_hidden:
            found, is_hidden = saved_by(node)
        if is_hidden:
            recorder.notes.left_out("what is kept for backward where hooks for saved tensors are in force", by)
        for tensor in found:
            where = recorder.values.allocation_of(tensor) if is_plain(tensor) else None
            if where is not None:
                self.savings.setdefault((where, by), node.name())

    def _gradient_hook(self, behind):
        targets = []
        for node, port in behind:
            variable = getattr(node, "variable", None) if node is not None else None
            if variable is not None:
                targets.append(variable)
            elif node is not None:
                targets.append((node, port))
            else:
                targets.append(None)
        recorder = self._recorder

        def hook(gradients, _):
            if recorder.has_ended:
                return
            with recorder.own("which tensor is the gradient of which"):
                for target, gradient in zip(targets, gradients):
                    if gradient is not None and target is not None and is_plain(gradient):
                        self._name_gradient(target, gradient)

        return hook

    def _name_gradient(self, target, gradient):
        recorder = self._recorder
        value = recorder.values.find(gradient)
        if value is None or value.gradient_of:
            return
        if isinstance(target, tuple):
            node, port = target
            event = self.nodes.event_of(node)
            outputs = recorder.events[event - 1].outputs if event else []
            of = recorder.values.values[outputs[port] - 1] if port < len(outputs) else None
        else:
            of = recorder.values.find(target) if is_plain(target) else None
        if of is None:
            return
        value.gradient_of = of.number
        value.name = f"grad of {of.name or self._label(of)}"
        where = recorder.values.allocation_of(gradient)
        if where is not None and recorder.values.allocations[where].category in (ACTIVATION, OTHER):
            block = recorder.values.allocations[where]
            block.category = GRADIENT
            block.owner = block.owner or value.name

    def _label(self, value):
        if not value.producer:
            return f"%{value.number}"
        return f"{self._recorder.events[value.producer - 1].op} #{value.producer}"
