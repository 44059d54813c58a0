# SPDX-License-Identifier: Apache-2.0
"""The graph of what ran forward: a box a module call, a node an operator, an edge where one read what another wrote."""


class Graph:
    def __init__(self):
        self._nodes = []  # (parent, is a box, kind, label, scope, place, arguments)
        self._edges = []  # (from, to, port, port, value)
        self._inputs = []
        self._outputs = []
        self._made = {}  # value: (node, port)
        self._input_ports = {}

    def open_group(self, parent, class_name, scope):
        label = scope.rpartition(".")[2] or class_name
        return self._node(parent, True, class_name, label, scope, ("", 0), [])

    def operator(self, parent, name, scope, place, attributes, inputs, outputs):
        """inputs: what each is as a value; outputs: numbers of values. Returns the node's number."""
        node = self._node(parent, False, name, name.partition("::")[2], scope, place, attributes)
        for port, value in enumerate(inputs):
            source, source_port = self._made.get(value.number, (None, 0))
            if source is None:
                if not value.is_input:
                    continue  # a parameter
                if value.number not in self._input_ports:
                    self._input_ports[value.number] = len(self._inputs)
                    self._inputs.append(value.name or f"%{value.number}")
                source, source_port = -1, self._input_ports[value.number]
            self._edges.append((source, node, source_port, port, value.number))
        self.made(node, outputs)
        return node

    def made(self, node, outputs):
        """Also later, of what goes on behind its operator."""
        for port, value in enumerate(outputs):
            self._made[value] = (node, port)

    def output(self, value, name):
        """The model's results, in their order."""
        if value in self._made:
            node, port = self._made[value]
            self._edges.append((node, -1, port, len(self._outputs), value))
            self._outputs.append(name)

    def _node(self, *row):
        self._nodes.append(row)
        return len(self._nodes) - 1

    def describe(self, type_of, shown_path):
        """type_of(value): as a graph prints it."""
        return {
            "method": "forward",
            "nodes": [
                {
                    "parent": parent,
                    "is_group": is_group,
                    "is_plumbing": False,
                    "kind": kind,
                    "label": label,
                    "scope": scope,
                    "source": {"file": shown_path(place[0]), "line": place[1], "column": 0},
                    "blocks": [],
                    "attributes": attributes,
                }
                for parent, is_group, kind, label, scope, place, attributes in self._nodes
            ],
            "edges": [
                {
                    "from": source,
                    "to": target,
                    "from_port": source_port,
                    "to_port": target_port,
                    "value": f"%{value}",
                    "type": type_of(value),
                }
                for source, target, source_port, target_port, value in self._edges
            ],
            "inputs": self._inputs,
            "outputs": self._outputs,
            "text": "",
        }
