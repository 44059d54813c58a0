# SPDX-License-Identifier: Apache-2.0
# One device a process: a module in DataParallel runs as it is, under PyTorch's names.
from torch.nn import Module


class DataParallel(Module):
    def __init__(self, module, device_ids=None, output_device=None, dim=0):
        super().__init__()
        self.module = module
        self.device_ids = device_ids or []
        self.output_device = output_device
        self.dim = dim

    def forward(self, *inputs, **kwargs):
        return self.module(*inputs, **kwargs)


def replicate(network, devices, detach=False):
    return [network]


def parallel_apply(modules, inputs, kwargs_tup=None, devices=None):
    if kwargs_tup is None:
        kwargs_tup = ({},) * len(modules)
    return [module(*(each if isinstance(each, tuple) else (each,)), **kwargs)
            for module, each, kwargs in zip(modules, inputs, kwargs_tup)]


def scatter(inputs, target_gpus, dim=0):
    return [inputs]


def gather(outputs, target_device, dim=0):
    return outputs[0]


def data_parallel(module, inputs, device_ids=None, output_device=None, dim=0, module_kwargs=None):
    return module(*(inputs if isinstance(inputs, tuple) else (inputs,)), **(module_kwargs or {}))


from torch.nn.parallel.distributed import DistributedDataParallel
