# SPDX-License-Identifier: Apache-2.0
# States of models whose parameters are DTensors, whole or as they are.
import torch
import torch.distributed as dist
from torch.distributed.tensor import DTensor, _part, distribute_tensor


class StateDictOptions:
    def __init__(self, full_state_dict=False, cpu_offload=False, ignore_frozen_params=False, keep_submodule_prefixes=True, strict=True,
                 broadcast_from_rank0=False, flatten_optimizer_state_dict=False, dsd_fqn_modifiers='_fqn_modifiers'):
        self.full_state_dict = full_state_dict
        self.cpu_offload = cpu_offload
        self.ignore_frozen_params = ignore_frozen_params
        self.strict = strict
        self.broadcast_from_rank0 = broadcast_from_rank0


def _absent(name):
    def absent(*args, **kwargs):
        raise NotImplementedError("torch.distributed.checkpoint.state_dict." + name + " is not here; get_model_state_dict and "
                                  "set_model_state_dict are")
    return absent


def get_model_state_dict(model, *, submodules=None, options=None):
    if submodules is not None:
        raise NotImplementedError("get_model_state_dict(submodules=...) is not here")
    options = options if options is not None else StateDictOptions()
    frozen = {name for name, parameter in model.named_parameters() if not parameter.requires_grad} if options.ignore_frozen_params else set()
    state = {}
    with torch.no_grad():
        for name, value in model.state_dict().items():
            if name in frozen:
                continue
            state[name] = value.full_tensor() if options.full_state_dict and isinstance(value, DTensor) else value
    if options.full_state_dict and options.cpu_offload and dist.is_initialized() and dist.get_rank() != 0:
        return {}
    return state


def set_model_state_dict(model, model_state_dict, *, options=None):
    options = options if options is not None else StateDictOptions()
    if not options.full_state_dict:
        return model.load_state_dict(model_state_dict, strict=options.strict)
    state = {}
    with torch.no_grad():
        for name, own in model.state_dict().items():
            given = model_state_dict.get(name)
            if options.broadcast_from_rank0:
                given = given.detach().clone().contiguous() if dist.get_rank() == 0 else torch.empty(own.shape, dtype=own.dtype)
                dist.broadcast(given, src=0)
            if given is None:
                continue
            state[name] = distribute_tensor(given, own.device_mesh, own.placements, src_data_rank=None) if isinstance(own, DTensor) else given
    return model.load_state_dict(state, strict=options.strict)


get_optimizer_state_dict = _absent('get_optimizer_state_dict')
set_optimizer_state_dict = _absent('set_optimizer_state_dict')
get_state_dict = _absent('get_state_dict')
set_state_dict = _absent('set_state_dict')
