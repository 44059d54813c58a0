# SPDX-License-Identifier: Apache-2.0
# fully_shard: each rank keeps a part of every parameter; a group of parameters is gathered before it is used, and its
# gradients are averaged into the parts behind backward. As in torch/distributed/fsdp/_fully_shard.
import warnings
from dataclasses import dataclass, field
import torch
import torch.nn as nn
import torch.distributed as dist
import _c10d
from torch.distributed import ReduceOp
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.tensor import DTensor, Replicate, Shard
from torch.distributed.fsdp._group import ParamGroup
from torch.utils._pytree import tree_map


@dataclass(frozen=True)
class MixedPrecisionPolicy:
    param_dtype: object = None
    reduce_dtype: object = None
    output_dtype: object = None
    cast_forward_inputs: bool = True
    param_dtype_override_fn: object = field(default=None, kw_only=True)


@dataclass
class OffloadPolicy:
    pass


# Parts are on the CPU already, and so are their gradients; without a device that copies from it nothing is pinned.
@dataclass
class CPUOffloadPolicy(OffloadPolicy):
    pin_memory: bool = True


# What a forward of the root and the backward behind it share.
class _Iteration:
    def __init__(self):
        self.states = []
        self.post_forward_order = []
        self.forward_root = None
        self.is_last_backward = True
        self.callback_queued = False
        self.is_manual = False  # finalize_backward() ends a backward
        self.waits_for_reduction = False


class _State:
    def __init__(self, modules, policy, auto_reshard):
        self.modules = modules
        self.policy = policy
        self.auto_reshard = auto_reshard
        self.group = None
        self.is_root = None
        self.training = 'idle'
        self.iteration = _Iteration()
        self.forward_prefetch = []
        self.backward_prefetch = None
        self.to_run = []

    def lazy_init(self):
        if self.is_root is not None:
            return
        if len(self.modules) > 1:
            raise RuntimeError("FSDP requires a single root module but got " + str(self.modules))
        self.is_root = True
        seen = []
        for name, module in self.modules[0].named_modules():
            state = getattr(module, '_fsdp_state', None)
            if state is None or any(state is each for each in seen):
                continue
            if module is not self.modules[0]:
                if state.is_root is not None:
                    raise RuntimeError("FSDP state has already been lazily initialized for " + name +
                                       "\nFSDP requires running forward through the root module first")
                state.is_root = False
            seen.append(state)
            self.iteration.states.append(state)
        for state in seen:
            state.iteration = self.iteration
        if self.auto_reshard and self.group is not None:
            self.group.reshard_after_forward = False
        names = {}
        for name, parameter in self.modules[0].named_parameters():
            names[id(parameter)] = name
        managed = set()
        for state in seen:
            if state.group is not None:
                state.group.check_dtypes()
            for each in state.group.params if state.group is not None else []:
                each.name = names.get(id(each.sharded), each.name)
                if each.original_id in managed:
                    raise ValueError("Parameter '" + each.name + "' is shared with a parameter already managed by another FSDP group. For "
                                     "shared/tied parameters, use fully_shard([module_a, module_b]) to place them in the same FSDP group.")
                managed.add(each.original_id)
                each.check_sharded()

    # Before forward of one of the modules: (args, kwargs).
    def pre_forward(self, module, args, kwargs):
        if self.training == 'pre_backward':  # a checkpointed segment runs again
            if self.group is not None:
                self.group.unshard()
                self.group.wait()
            return self.cast_inputs(args, kwargs)
        is_first = self.training != 'forward'
        self.training = 'forward'
        if is_first:
            self.lazy_init()
            if self.iteration.forward_root is None:
                self.iteration.forward_root = self
        args, kwargs = self.cast_inputs(args, kwargs)
        group = self.group
        if group is not None:
            enters = group.training != 'forward'
            group.training = 'forward'
            group.unshard()
            group.wait()
            if enters:
                args, kwargs = _register_post_backward(group, args, kwargs)
        if is_first:
            for other in self.forward_prefetch:
                if other.group is not None:
                    other.group.unshard()
        return args, kwargs

    def post_forward(self, module, output):
        if self.training == 'pre_backward':
            return self.cast_output(output)
        if self.group is not None:
            self.group.post_forward(self.iteration)
        output = self.register_pre_backward(output)
        self.training = 'idle'
        if self.iteration.forward_root is self:
            for state in reversed(self.iteration.states):
                if state is not self and state.to_run:
                    if state.group is not None:
                        state.group.post_forward(self.iteration)
                    output = state.register_pre_backward(output)
                    state.training = 'idle'
                    output = state.cast_output(output)
                    state.to_run = []
            self.iteration.forward_root = None
        return self.cast_output(output)

    def cast_inputs(self, args, kwargs):
        dtype = self.policy.param_dtype
        if not self.policy.cast_forward_inputs or dtype is None:
            return args, kwargs
        return _cast(args, dtype), _cast(kwargs, dtype)

    def cast_output(self, output):
        return output if self.policy.output_dtype is None else _cast(output, self.policy.output_dtype)

    def register_pre_backward(self, output):
        if not torch.is_grad_enabled():
            return output
        return tree_map(lambda t: _PreBackward.apply(self, t) if isinstance(t, torch.Tensor) and t.requires_grad else t, output)

    def pre_backward(self):
        self.training = 'pre_backward'
        root = self.iteration
        if not root.callback_queued and not root.is_manual:
            root.callback_queued = True
            _c10d._after_backward(lambda: _finish_backward(root))
        if self.group is not None:
            self.group.pre_backward(root, self.backward_prefetch is None)
        for other in self.backward_prefetch or []:
            if other.group is not None:
                other.group.prefetch_backward()


def _cast(value, dtype):
    return tree_map(lambda t: t.to(dtype) if isinstance(t, torch.Tensor) and t.is_floating_point() and t.dtype != dtype else t, value)


def _finish_backward(iteration):
    _end_backward(iteration)
    _end_reduction(iteration, iteration.is_last_backward)
    iteration.callback_queued = False


def _end_backward(iteration):
    iteration.forward_root = None
    for state in iteration.states:
        state.to_run = []
        if state.group is not None:
            if state.group.training != 'post_backward':
                state.group.post_backward()
            state.group.training = 'idle'
        state.training = 'idle'


def _end_reduction(iteration, is_last):
    for state in iteration.states:
        if state.group is not None:
            state.group.finish_reduction()
    if is_last:
        for state in iteration.states:
            if state.group is not None:
                state.group.end_iteration()
        iteration.post_forward_order = []


class _PreBackward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, state, output):
        ctx.state = state
        return output

    @staticmethod
    def backward(ctx, grad):
        ctx.state.pre_backward()
        return None, grad


class _PostBackward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, group, *inputs):
        ctx.group = group
        return inputs

    @staticmethod
    def backward(ctx, *grads):
        ctx.group.post_backward()
        return (None,) + grads


# Backward of the inputs that need gradients comes behind that of the parameters.
def _register_post_backward(group, args, kwargs):
    if not torch.is_grad_enabled():
        return args, kwargs
    found = []

    def collect(value):
        if isinstance(value, torch.Tensor) and value.requires_grad:
            found.append(value)
        return value
    tree_map(collect, (args, kwargs))
    if not found:
        return args, kwargs
    marked = list(_PostBackward.apply(group, *found))
    return tree_map(lambda t: marked.pop(0) if isinstance(t, torch.Tensor) and t.requires_grad else t, (args, kwargs))


class UnshardHandle:
    def __init__(self, group):
        self._group = group

    def wait(self):
        if self._group is not None:
            self._group.wait()
            self._group = None


class GradientReductionHandle:
    def __init__(self, iteration):
        self._iteration = iteration

    def wait(self):
        iteration = self._iteration
        if iteration is None:
            return
        if not iteration.waits_for_reduction:
            raise RuntimeError("The gradient reduction handle was invalidated by reset_iter_state")
        self._iteration = None
        iteration.waits_for_reduction = False
        _end_reduction(iteration, True)


class FSDPModule:
    def _get_fsdp_state(self):
        return self._fsdp_state

    def _states(self, recurse=True):
        out = []
        for module in self.modules() if recurse else [self]:
            if isinstance(module, FSDPModule) and not any(module._fsdp_state is each for each in out):
                out.append(module._fsdp_state)
        return out

    def _groups(self, recurse=True):
        return [state.group for state in self._states(recurse) if state.group is not None]

    def reshard(self):
        for group in self._groups(False):
            group.to_sharded()

    def unshard(self, async_op=False):
        group = self._fsdp_state.group
        if group is not None:
            group.check_dtypes()
            group.unshard()
        handle = UnshardHandle(group)
        if async_op:
            return handle
        handle.wait()
        return None

    def set_keep_unsharded_storage(self, keep, *, recurse=True):
        for group in self._groups(recurse):
            group.keeps_storage = keep

    def reset_iter_state(self):
        state = self._fsdp_state
        if state.is_root is False:
            raise RuntimeError("reset_iter_state must be called on the root FSDP module")
        iteration = state.iteration
        iteration.post_forward_order = []
        for each in iteration.states or [state]:
            each.to_run = []
            each.training = 'idle'
            if each.group is not None:
                each.group.reset()
        iteration.forward_root = None
        iteration.callback_queued = False
        iteration.waits_for_reduction = False

    def set_manual_backward_finalization(self, enabled):
        state = self._fsdp_state
        if state.is_root is False:
            raise RuntimeError("set_manual_backward_finalization must be called on the root FSDP module")
        state.iteration.is_manual = enabled

    def finalize_backward(self, *, async_op=False):
        state = self._fsdp_state
        if state.is_root is None:
            return GradientReductionHandle(None) if async_op else None
        iteration = state.iteration
        if iteration.waits_for_reduction:
            raise RuntimeError("The previous gradient reduction must be waited on before finalizing backward again")
        _end_backward(iteration)
        if not async_op:
            return _end_reduction(iteration, True)
        iteration.waits_for_reduction = True
        return GradientReductionHandle(iteration)

    def set_is_last_backward(self, is_last_backward):
        self._fsdp_state.iteration.is_last_backward = is_last_backward

    def set_requires_gradient_sync(self, requires_gradient_sync, *, recurse=True):
        for group in self._groups(recurse):
            group.reduces = requires_gradient_sync
            group.all_reduces = requires_gradient_sync

    def set_requires_all_reduce(self, requires_all_reduce, *, recurse=True):
        for group in self._groups(recurse):
            group.all_reduces = requires_all_reduce

    def set_reshard_after_forward(self, reshard_after_forward, recurse=True):
        if not isinstance(reshard_after_forward, bool):
            raise ValueError("reshard_after_forward should be a bool, got " + str(type(reshard_after_forward)))
        for state in self._states(recurse):
            state.auto_reshard = False
            if state.group is not None:
                state.group.reshard_after_forward = reshard_after_forward
                state.group.post_mesh = None

    def set_reshard_after_backward(self, reshard_after_backward, *, recurse=True):
        for group in self._groups(recurse):
            group.reshard_after_backward = reshard_after_backward

    def set_modules_to_forward_prefetch(self, modules):
        _check_modules(modules)
        self._fsdp_state.forward_prefetch = [module._fsdp_state for module in modules]

    def set_modules_to_backward_prefetch(self, modules):
        _check_modules(modules)
        self._fsdp_state.backward_prefetch = [module._fsdp_state for module in modules] or None

    def set_gradient_divide_factor(self, factor):
        for group in self._groups(False):
            group.divide_factor = factor

    set_reduce_scatter_divide_factor = set_gradient_divide_factor

    def set_unshard_in_backward(self, unshard_in_backward):
        for group in self._groups(False):
            group.unshard_in_backward = unshard_in_backward

    def set_force_sum_reduction_for_comms(self, enable):
        for group in self._groups(False):
            group.sums = enable

    def set_all_reduce_hook(self, hook, *, stream=None):
        for group in self._groups(False):
            group.all_reduce_hook = hook

    def set_reduce_scatter_unused_params(self, reduce_scatter_unused_params, *, recurse=True):
        for group in self._groups(recurse):
            group.reduces_unused = reduce_scatter_unused_params

    # What is under way is waited for before its group's next reduction: one buffer a group, whatever is allowed.
    def set_reduce_scatter_max_input_buffers(self, max_input_buffers, *, recurse=True):
        if isinstance(max_input_buffers, bool) or not isinstance(max_input_buffers, int):
            raise TypeError("max_input_buffers must be an int, got " + type(max_input_buffers).__name__)
        if max_input_buffers < 1:
            raise ValueError("max_input_buffers must be a positive int, got " + str(max_input_buffers))

    def set_post_optim_event(self, event):
        pass

    def __deepcopy__(self, memo):
        raise AssertionError("FSDP does not support deepcopy. Please use state dict for serialization.")


def _absent_method(name):
    def absent(self, *args, **kwargs):
        raise NotImplementedError("FSDPModule." + name + " is not here")
    return absent


for _name in ('set_custom_all_gather', 'set_custom_reduce_scatter', 'set_allocate_memory_from_process_group_for_comm',
              'set_separate_reduce_scatter_group', 'set_symm_mem_for_comm'):
    setattr(FSDPModule, _name, _absent_method(_name))


def _check_modules(modules):
    for module in modules:
        if not isinstance(module, FSDPModule):
            raise ValueError("Expects FSDPModule but got " + str(type(module)) + ": " + str(module))


# The modules whose parameters the group manages: not those of groups that were made before.
def _managed_modules(roots):
    out = []
    seen = set()

    def visit(module):
        if id(module) in seen:
            return
        seen.add(id(module))
        if not any(module is root for root in roots) and isinstance(module, FSDPModule):
            return
        for child in module.children():
            visit(child)
        out.append(module)
    for root in roots:
        visit(root)
    return out


def _managed_params(modules, ignored):
    params = []
    seen = set()
    for module in modules:
        for name, parameter in module.named_parameters(recurse=False):
            if id(parameter) in ignored or id(parameter) in seen:
                continue
            seen.add(id(parameter))
            if parameter.dim() == 0:
                raise ValueError("fully_shard doesn't support scalar parameters. Change " + name + " to a 1D tensor with numel equal to 1.")
            if isinstance(parameter, DTensor):
                raise NotImplementedError("fully_shard of parameters that are DTensors is not here: " + name)
            params.append((name, parameter))
    return params


_classes = {}


def _fsdp_class(cls):
    made = _classes.get(cls)
    if made is None:
        made = type('FSDP' + cls.__name__, (FSDPModule, cls), {})
        _classes[cls] = made
    return made


def _check_mesh(mesh):
    if mesh.ndim not in (1, 2):
        raise ValueError("fully_shard expects a 1D or 2D DeviceMesh but got " + str(mesh))
    if mesh.ndim == 2 and mesh.mesh_dim_names is None:
        raise AssertionError("Please init the 2D mesh for HSDP with mesh_dim_names specified")


# (is it resharded, to which smaller mesh), from what the caller gave; None: all ranks. As _get_post_forward_mesh_info.
def _post_forward(reshard_after_forward, mesh):
    if reshard_after_forward is None:
        return True, None
    if not isinstance(reshard_after_forward, (bool, int)):
        raise ValueError("reshard_after_forward should be a bool or an int representing the group size to reshard to, not " +
                         str(reshard_after_forward))
    if isinstance(reshard_after_forward, bool):
        return reshard_after_forward, None
    ranks = mesh.size(mesh.ndim - 1)
    if reshard_after_forward < 1 or reshard_after_forward > ranks or ranks % reshard_after_forward != 0:
        raise ValueError("If passing reshard_after_forward as an int, it should be a factor of " + str(ranks) + ", not " +
                         str(reshard_after_forward))
    if reshard_after_forward == 1:
        warnings.warn("reshard_after_forward=1 (int) means resharding parameters to world size 1, instead of reshard_after_forward=True (bool)")
        return False, None
    if reshard_after_forward == ranks:
        return True, None
    return True, _smaller_mesh(mesh, reshard_after_forward)


_smaller_meshes = {}


# The same one each time: its groups are made by all ranks together.
def _smaller_mesh(mesh, ranks):
    lines = mesh.mesh.view(-1, ranks)
    key = str(lines.tolist())
    if key not in _smaller_meshes:
        _smaller_meshes[key] = DeviceMesh(mesh.device_type, lines)
    return _smaller_meshes[key]


def fully_shard(module, *, mesh=None, reshard_after_forward=None, shard_placement_fn=None, mp_policy=MixedPrecisionPolicy(),
                offload_policy=OffloadPolicy(), ignored_params=None, dp_mesh_dims=None):
    if dp_mesh_dims is not None:
        raise NotImplementedError("fully_shard(dp_mesh_dims=...) is not here")
    modules = list(module) if isinstance(module, (list, tuple)) else [module]
    for each in modules:
        if isinstance(each, (nn.ModuleList, nn.ModuleDict)):
            raise ValueError("fully_shard does not support containers that do not implement forward: " + str(each))
        if isinstance(each, FSDPModule):
            raise AssertionError("Each distinct composable distributed API can only be applied to a module once. fully_shard has already "
                                 "been applied to the following module:\n" + str(each))
    if mesh is None:
        mesh = init_device_mesh('cpu', (dist.get_world_size(),))
    _check_mesh(mesh)
    reshards, post_mesh = _post_forward(reshard_after_forward, mesh)
    state = _State(modules, mp_policy, reshard_after_forward is None)
    managed = _managed_modules(modules)
    ignored = {id(parameter) for parameter in ignored_params or ()}
    params = _managed_params(managed, ignored)
    if params:
        state.group = ParamGroup(params, modules, managed, mesh, mp_policy, reshards, shard_placement_fn, post_mesh)
    for each in modules:
        each._fsdp_state = state
        _c10d._set_class(each, _fsdp_class(type(each)))
    _register_hooks(state)
    return module


def _register_hooks(state):
    modules = state.modules

    def before(module, args, kwargs):
        if len(modules) > 1 and not state.to_run:
            state.to_run = list(modules)
        return state.pre_forward(module, args, kwargs)

    def after(module, args, output):
        if len(modules) > 1:
            state.to_run = [each for each in state.to_run if each is not module]
            if state.to_run:
                return state.cast_output(output)
        return state.post_forward(module, output)
    for module in modules:
        module.register_forward_pre_hook(before, prepend=True, with_kwargs=True)
        module.register_forward_hook(after, prepend=False)


# A method that is called as forward is: parameters are gathered before it.
def register_fsdp_forward_method(module, method_name):
    if not isinstance(module, FSDPModule):
        return
    if not hasattr(module, method_name):
        raise ValueError(str(type(module)) + " does not have a method " + method_name)
    method = getattr(module, method_name)

    def wrapped(*args, **kwargs):
        state = module._fsdp_state
        args, kwargs = state.pre_forward(module, args, kwargs)
        return state.post_forward(module, method(*args, **kwargs))
    setattr(module, method_name, wrapped)
