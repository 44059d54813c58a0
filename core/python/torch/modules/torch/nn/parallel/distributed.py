# SPDX-License-Identifier: Apache-2.0
# DistributedDataParallel: gradients are averaged by the engine's reducer while backward runs.
import sys
from contextlib import contextmanager
import torch
import torch.distributed as dist
import _c10d
from torch.distributed.algorithms.join import Join, Joinable, JoinHook, _JoinConfig
from torch.nn import Module
from torch.utils._pytree import tree_flatten

_MB = 1024 * 1024


def _limits(bucket_cap_mb, find_unused_parameters, static_graph):
    cap = int((25 if bucket_cap_mb is None else bucket_cap_mb) * _MB)
    first = dist._DEFAULT_FIRST_BUCKET_BYTES if bucket_cap_mb is None else cap
    rebuilt = [first, cap] if first < cap else [cap]
    return [sys.maxsize] if static_graph or not find_unused_parameters else rebuilt, rebuilt


# What a rank without inputs does while others have some.
class _DDPJoinHook(JoinHook):
    def __init__(self, ddp, divide_by_initial_world_size):
        self.ddp = ddp
        ddp._divide_by_initial_world_size = divide_by_initial_world_size

    def main_hook(self):
        ddp = self.ddp
        ddp.reducer.rebuild()
        if ddp._syncs_buffers():
            ddp._broadcast_buffers(ddp._common_rank(False))
        syncs = ddp._someone_syncs(True)
        ddp.require_forward_param_sync = syncs
        if syncs:
            ddp.reducer.shadow()

    def post_hook(self, is_last_joiner):
        ddp = self.ddp
        ddp._sync_states(ddp.parameters_to_ignore, ddp._common_rank(is_last_joiner), ddp.forward_sync_buffers)


class DistributedDataParallel(Module, Joinable):
    _active_ddp_module = None

    def __init__(self, module, device_ids=None, output_device=None, dim=0, broadcast_buffers=True, init_sync=True,
                 process_group=None, bucket_cap_mb=None, find_unused_parameters=False, check_reduction=False,
                 gradient_as_bucket_view=False, static_graph=False, delay_all_reduce_named_params=None,
                 param_to_hook_all_reduce=None, mixed_precision=None, device_mesh=None, skip_all_reduce_unused_params=False,
                 **options):
        Module.__init__(self)
        self._join_config = _JoinConfig.construct_disabled_join_config()
        self._divide_by_initial_world_size = True
        for name, value in (('mixed_precision', mixed_precision), ('delay_all_reduce_named_params', delay_all_reduce_named_params)):
            if value is not None:
                raise NotImplementedError("DistributedDataParallel(" + name + "=...) is not here")
        if process_group is not None and device_mesh is not None:
            raise RuntimeError("Cannot specify both process_group and device_mesh arguments.")
        if device_mesh is not None:
            process_group = device_mesh.get_group(0)
        self.process_group = dist._get_default_group() if process_group is None else process_group
        ignored = set(getattr(module, '_ddp_params_and_buffers_to_ignore', []))
        self.parameters_to_ignore = ignored
        names = [name for name, p in module.named_parameters() if p.requires_grad and name not in ignored]
        if not names:
            raise RuntimeError("DistributedDataParallel is not needed when a module doesn't have any parameter that requires a gradient.")
        if device_ids is not None and len(device_ids) > 1:
            raise ValueError("device_ids can only be None or contain a single element.")
        types = {p.device.type for p in module.parameters()}
        if len(types) != 1:
            raise ValueError("DistributedDataParallel's input module must be on the same type of devices, but input module parameters "
                             "locate in " + str(types) + ".")
        if device_ids and types == {'cpu'}:
            raise ValueError("DistributedDataParallel device_ids and output_device arguments only work with single-device/multiple-device "
                             "GPU modules or CPU modules, but got device_ids " + str(device_ids) + ", output_device " +
                             str(output_device) + ", and module parameters " + str({p.device for p in module.parameters()}) + ".")
        self.module = module
        self.device_ids = device_ids
        self.output_device = output_device
        self.dim = dim
        self.device = next(iter(module.parameters())).device
        self.forward_sync_buffers = broadcast_buffers
        self.find_unused_parameters = find_unused_parameters
        self.static_graph = static_graph
        self.gradient_as_bucket_view = gradient_as_bucket_view
        self.require_backward_grad_sync = True
        self.require_forward_param_sync = True
        self._comm_hooks = []
        if init_sync:
            self._verify_shapes(names)
            self._sync_states(ignored)
        parameters = dict(module.named_parameters())
        first, rebuilt = _limits(bucket_cap_mb, find_unused_parameters, static_graph)
        self.bucket_bytes_cap = rebuilt[-1]
        self.reducer = _c10d._Reducer([parameters[name] for name in names], names, self.process_group.group_name, first, rebuilt,
                                      find_unused_parameters, static_graph, gradient_as_bucket_view)
        # Of the group's size, each rank's share of a sum.
        self._names = names

    @property
    def broadcast_buffers(self):
        return self.forward_sync_buffers

    @broadcast_buffers.setter
    def broadcast_buffers(self, value):
        self.forward_sync_buffers = value

    def _verify_shapes(self, names):
        parameters = dict(self.module.named_parameters())
        shapes = [list(parameters[name].shape) for name in names]
        everything = dist._objects(shapes, self.process_group, "DistributedDataParallel")
        rank = dist.get_rank(self.process_group)
        for other, theirs in enumerate(everything):
            if len(theirs) != len(everything[0]):
                raise RuntimeError("DDP expects same model across all ranks, but Rank " + str(rank) + " has " + str(len(shapes)) +
                                   " params, while rank " + str(other if other != rank else 0) +
                                   " has inconsistent " + str(len(theirs) if other != rank else len(everything[0])) + " params.")
        for i, mine in enumerate(shapes):
            if mine != everything[0][i]:
                raise RuntimeError("[" + str(rank) + "]: params[" + str(i) + "] in this process with sizes " + str(mine) +
                                   " appears not to match sizes of the same param in process 0.")

    def _sync_states(self, ignored, source=0, buffers=True):
        with torch.no_grad():
            states = [t for name, t in self.module.named_parameters() if name not in ignored]
            if buffers:
                states += [t for name, t in self.module.named_buffers() if name not in ignored]
            for tensor in states:
                dist.broadcast(tensor.detach(), group_src=source, group=self.process_group)

    def _buffers_to_sync(self):
        return [buffer for name, buffer in self.module.named_buffers() if name not in self.parameters_to_ignore]

    def _syncs_buffers(self):
        return self.require_forward_param_sync and self.forward_sync_buffers and len(self._buffers_to_sync()) > 0

    def _broadcast_buffers(self, source):
        with torch.no_grad():
            for buffer in self._buffers_to_sync():
                dist.broadcast(buffer.detach(), group_src=source, group=self.process_group)

    # The greatest rank of those that say yes.
    def _common_rank(self, is_candidate):
        rank = torch.tensor([dist.get_rank(self.process_group) if is_candidate else -1])
        dist.all_reduce(rank, op=dist.ReduceOp.MAX, group=self.process_group)
        if rank.item() == -1:
            raise ValueError("BUG! Expected rank_cond to be true for at least one process. This indicates a bug in PyTorch, please report an issue.")
        return rank.item()

    # In a join: do the ranks that have inputs reduce gradients in this pass?
    def _someone_syncs(self, has_joined):
        syncs = torch.ones(1) if not has_joined and self.require_backward_grad_sync else torch.zeros(1)
        dist.all_reduce(syncs, group=self.process_group)
        return syncs.item() != 0

    def forward(self, *inputs, **kwargs):
        syncs = torch.is_grad_enabled() and self.require_backward_grad_sync
        joins = self._join_config.enable
        self.reducer.set_sync(self.require_backward_grad_sync)
        work = Join.notify_join_context(self)
        if work is not None:
            work.wait()
            active = work.result()[0].item()
            self.reducer.set_divisor(dist.get_world_size(self.process_group) if self._divide_by_initial_world_size else int(active))
        if syncs:
            self.reducer.rebuild()
        if self._syncs_buffers():
            self._broadcast_buffers(self._common_rank(True) if joins else 0)
        if joins:
            self._someone_syncs(False)
        output = self.module(*inputs, **kwargs)
        if syncs:
            self.require_forward_param_sync = True
            leaves = tree_flatten(output)[0] if self.find_unused_parameters and not self.static_graph else []
            self.reducer.prepare([t for t in leaves if isinstance(t, torch.Tensor) and t.requires_grad])
        else:
            self.require_forward_param_sync = False
        return output

    @contextmanager
    def no_sync(self):
        before = self.require_backward_grad_sync
        self.require_backward_grad_sync = False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    def join(self, divide_by_initial_world_size=True, enable=True, throw_on_early_termination=False):
        return Join([self], enable, throw_on_early_termination, divide_by_initial_world_size=divide_by_initial_world_size)

    def join_hook(self, **kwargs):
        return _DDPJoinHook(self, kwargs.get('divide_by_initial_world_size', True))

    @property
    def join_device(self):
        return self.device

    @property
    def join_process_group(self):
        return self.process_group

    def register_comm_hook(self, state, hook):
        if not callable(hook):
            raise TypeError("Communication hook must be callable.")
        self.reducer.set_hook(lambda bucket: hook(state, bucket), dist.GradBucket)
        self._comm_hooks.append((hook, state))

    def _register_builtin_comm_hook(self, comm_hook_type):
        raise NotImplementedError("DistributedDataParallel._register_builtin_comm_hook is not here")

    def _get_ddp_logging_data(self):
        return {'rank': dist.get_rank(self.process_group), 'world_size': dist.get_world_size(self.process_group),
                'has_rebuilt_buckets': int(self.reducer.has_rebuilt()), 'bucket_cap_bytes': self.bucket_bytes_cap}

    def _set_static_graph(self):
        raise NotImplementedError("DistributedDataParallel._set_static_graph is not here: give static_graph=True")

    @staticmethod
    def _set_params_and_buffers_to_ignore_for_model(module, params_and_buffers_to_ignore):
        module._ddp_params_and_buffers_to_ignore = params_and_buffers_to_ignore
