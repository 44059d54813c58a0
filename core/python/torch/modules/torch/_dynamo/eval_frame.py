# SPDX-License-Identifier: Apache-2.0
# torch.compile: a source runs as it is written, so what is compiled is the same under PyTorch's names; the compiler's own
# modes are those of its pipelines. Work of a device is captured in the modes in which PyTorch does that.
import functools

import _device_graphs
import torch
from torch.nn import Module


class _Graphed:
    def __init__(self, function, module=None):
        self.function = function
        self.module = module
        self.parameters = None
        self.call = None

    def __call__(self, *args, **kwargs):
        parameters = list(self.module.parameters()) if self.module is not None else []
        if self._reason() is not None:
            return self.function(*args, **kwargs)
        if self.call is None or len(parameters) != len(self.parameters) or any(
                a is not b for a, b in zip(parameters, self.parameters)):
            self.parameters = parameters
            function = self.function
            self.call = _device_graphs.GraphedCall(lambda mode, args, kwargs: function(*args, **kwargs), parameters)
        trains = tuple(m.training for m in self.module.modules()) if self.module is not None else ()
        mode = (torch.is_autocast_enabled('cuda'), trains)
        return self.call.run(mode, args, kwargs)

    def _reason(self):
        # Why it is not even tried.
        if _device_graphs.accelerator() is None:
            return 'inputs are on the CPU'
        import torch.distributed
        if torch.distributed.is_initialized() and torch.distributed.get_world_size() > 1:
            return 'collectives between ranks are not captured'
        # Hooks are the program's, and would run while the work is captured alone.
        if self.module is not None and any(m._forward_hooks or m._forward_pre_hooks or m._backward_hooks
                                           for m in self.module.modules()):
            return 'the module has hooks'
        return None

    @property
    def why_not_captured(self):
        # Of the last call; None: it was captured, or has not run often enough.
        return self._reason() or (self.call is not None and self.call.why_not() or None)

    @property
    def is_captured(self):
        return self.call is not None and self.call.is_captured()


class OptimizedModule(Module):
    def __init__(self, mod, graphed=None):
        super().__init__()
        self._orig_mod = mod
        self.training = mod.training
        self._graphed = graphed

    def forward(self, *args, **kwargs):
        return (self._graphed or self._orig_mod)(*args, **kwargs)

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            if name == '_orig_mod':
                raise
            return getattr(self._orig_mod, name)


def compile(model=None, *, fullgraph=False, dynamic=None, backend='inductor', mode=None, options=None, disable=False):
    if mode is not None and options is not None:
        raise RuntimeError("Either mode or options can be specified, but both can't be specified at the same time.")
    modes = ('default', 'lite', 'reduce-overhead', 'max-autotune-no-cudagraphs', 'max-autotune')
    if mode is not None and mode not in modes:
        raise RuntimeError("Unrecognized mode={}, should be one of: {}".format(mode, ', '.join(modes)))
    if model is None:
        return lambda function: compile(function, fullgraph=fullgraph, dynamic=dynamic, backend=backend, mode=mode, options=options,
                                        disable=disable)
    if disable:
        return model
    captures = backend == 'inductor' and mode in ('reduce-overhead', 'max-autotune')
    if isinstance(model, Module):
        return OptimizedModule(model, _Graphed(model, model) if captures else None)
    assert callable(model)
    if not captures:
        return model
    graphed = _Graphed(model)

    @functools.wraps(model)
    def compiled(*args, **kwargs):
        return graphed(*args, **kwargs)

    compiled.graphed = graphed
    return compiled
