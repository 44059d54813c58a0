# SPDX-License-Identifier: Apache-2.0
# torch.compile: a source runs as it is written, so what is compiled is the same under PyTorch's names; the compiler's own
# modes are those of its pipelines.
from torch.nn import Module


class OptimizedModule(Module):
    def __init__(self, mod):
        super().__init__()
        self._orig_mod = mod
        self.training = mod.training

    def forward(self, *args, **kwargs):
        return self._orig_mod(*args, **kwargs)

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
    if isinstance(model, Module):
        return OptimizedModule(model)
    assert callable(model)
    return model
