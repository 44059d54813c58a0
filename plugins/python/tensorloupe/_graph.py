# SPDX-License-Identifier: Apache-2.0
"""The graph of what ran forward: a box a module call, a node an operator, an edge where one read what another wrote."""


class Graph:
    def __init__(self):
        self.nodes = []
        self.edges = []
        self.inputs = []
        self.outputs = []
        self._made = {}  # value: (node, port)
        self._types = {}
        self._input_ports = {}

    def open_group(self, parent, class_name, scope):
        label = scope.rpartition(".")[2] or class_name
        return self._node(parent, True, class_name, label, scope, ("", 0), [])

    def operator(self, parent, name, scope, place, attributes, inputs, outputs):
        """inputs: (value, name, is no parameter, type) each; outputs: (value, type). Returns the node's number."""
        node = self._node(parent, False, name, name.partition("::")[2], scope, place, attributes)
        for port, (value, label, is_input, kind) in enumerate(inputs):
            source, source_port = self._made.get(value, (None, 0))
            if source is None:
                if not is_input:
                    continue  # a parameter
                if value not in self._input_ports:
                    self._input_ports[value] = len(self.inputs)
                    self.inputs.append(label or f"%{value}")
                source, source_port = -1, self._input_ports[value]
            self._edge(source, node, source_port, port, value, kind)
        for port, (value, kind) in enumerate(outputs):
            self._made[value] = (node, port)
            self._types[value] = kind
        return node

    def output(self, value, name):
        """The model's results, in their order."""
        if value in self._made:
            node, port = self._made[value]
            self._edge(node, -1, port, len(self.outputs), value, self._types[value])
            self.outputs.append(name)

    def _node(self, parent, is_group, kind, label, scope, place, attributes):
        self.nodes.append(
            {
                "parent": parent,
                "is_group": is_group,
                "is_plumbing": False,
                "kind": kind,
                "label": label,
                "scope": scope,
                "source": {"file": place[0], "line": place[1], "column": 0},
                "blocks": [],
                "attributes": attributes,
            }
        )
        return len(self.nodes) - 1

    def _edge(self, source, target, source_port, target_port, value, kind):
        self.edges.append(
            {
                "from": source,
                "to": target,
                "from_port": source_port,
                "to_port": target_port,
                "value": f"%{value}",
                "type": kind,
            }
        )

    def describe(self):
        return {
            "method": "forward",
            "nodes": self.nodes,
            "edges": self.edges,
            "inputs": self.inputs,
            "outputs": self.outputs,
            "text": "",
        }
