# SPDX-License-Identifier: Apache-2.0
# A model's inner results by the names of its modules.
from collections import OrderedDict
from torch import nn


def get_graph_node_names(model, tracer_kwargs=None, suppress_diff_warning=False, concrete_args=None):
    names = [name for name, module in model.named_modules() if name and not list(module.children())]
    return names, list(names)


class _Extractor(nn.Module):
    def __init__(self, model, nodes):
        super().__init__()
        self.model = model
        self._nodes = nodes

    def forward(self, *args, **kwargs):
        found = {}
        handles = []
        for name, module in self.model.named_modules():
            if name in self._nodes:
                handles.append(module.register_forward_hook(lambda module, inputs, output, name=name: found.__setitem__(name, output)))
        try:
            self.model(*args, **kwargs)
        finally:
            for handle in handles:
                handle.remove()
        return OrderedDict((shown, found[name]) for name, shown in self._nodes.items())


def create_feature_extractor(model, return_nodes=None, train_return_nodes=None, eval_return_nodes=None, tracer_kwargs=None,
                             suppress_diff_warning=False, concrete_args=None):
    nodes = return_nodes or eval_return_nodes
    return _Extractor(model, nodes if isinstance(nodes, dict) else {name: name for name in nodes})
