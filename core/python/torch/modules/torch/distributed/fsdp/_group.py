# SPDX-License-Identifier: Apache-2.0
# The parameters that fully_shard gathers in one collective, and whose gradients it averages in one.
import torch
import torch.nn as nn
import torch.distributed as dist
import _c10d
from torch.distributed import ReduceOp
from torch.distributed.tensor import Replicate, Shard


def _rows(size, ranks):
    return (size + ranks - 1) // ranks


# The dimension that is cut, from shard_placement_fn or the first.
def _shard_dim(parameter, placement, ranks):
    if placement is None:
        return 0
    if not isinstance(placement, Shard):
        raise ValueError("Invalid shard_placement_fn result: " + str(placement))
    dim = placement.dim + parameter.dim() if placement.dim < 0 else placement.dim
    if dim >= parameter.dim():
        raise AssertionError("Shard dim " + str(dim) + " is invalid for " + str(parameter.dim()) + "D tensor: " + str(parameter.shape))
    if dim > 0 and parameter.size(dim) % ranks != 0:
        raise NotImplementedError("FSDP does not support uneven sharding on dim " + str(dim) + ": " + str(parameter.shape) + " (world size: " +
                                  str(ranks) + ")")
    return dim


class ShardedParam:
    def __init__(self, name, parameter, places, group, placement, policy):
        if not parameter.is_contiguous():
            raise NotImplementedError("FSDP does not support non-contiguous parameters yet: param.shape=" + str(parameter.shape) +
                                      " param.stride()=" + str(parameter.stride()))
        self.name = name
        self.places = places  # (module, name) of all that have it
        self.group = group
        self.original_id = id(parameter)
        self.size = parameter.shape
        self.dtype = parameter.dtype
        self.param_dtype = _param_dtype(policy, parameter)
        self.requires_grad = parameter.requires_grad
        self.dim = _shard_dim(parameter, placement, group.ranks)
        self.placements = (Replicate(), Shard(self.dim)) if group.mesh.ndim == 2 else (Shard(self.dim),)
        self.outer = 1  # elements before the dimension that is cut
        for size in list(self.size)[:self.dim]:
            self.outer *= size
        rows = parameter.size(self.dim)
        self.row = parameter.numel() // rows if rows > 0 else 0
        self.chunk = _rows(rows, group.ranks)  # rows of a rank, the last ones may have less
        self.count = self.chunk * self.row  # of elements, with padding
        self.sharded = nn.Parameter(self.dtensor(self.part_of(parameter.detach(), self.chunk, group.rank)), requires_grad=parameter.requires_grad)
        self.small = None  # between forward and backward, where it is not cut over all ranks then
        self.buffer = None
        self.unsharded = None
        self.accumulated = None  # gradients of passes that were not reduced
        self.register(self.sharded)

    def dtensor(self, local):
        return _c10d._make_dtensor(local, self.size, self.group.mesh, self.placements)

    # A rank's rows.
    def part_of(self, whole, chunk, rank):
        rows = self.size[self.dim]
        first = min(chunk * rank, rows)
        return whole.narrow(self.dim, first, min(chunk, rows - first)).contiguous().clone()

    def register(self, parameter):
        for module, name in self.places:
            setattr(module, name, parameter)

    # What a program or a state dict has put in its place is a part too.
    def check_sharded(self):
        if self.small is not None:
            return
        module, name = self.places[0]
        now = getattr(module, name)
        if now is not self.sharded and hasattr(now, '_local_tensor'):
            self.sharded = now

    def local(self):
        return self.sharded._local_tensor

    # Elements with padding behind them, flat.
    def gather_input(self):
        flat = (self.local() if self.small is None else self.small._local_tensor).detach().reshape(-1)
        if flat.dtype != self.param_dtype:
            flat = flat.to(self.param_dtype)
        missing = self.gather_count() - flat.numel()
        return flat if missing == 0 else torch.cat([flat, flat.new_zeros(missing)])

    # Elements of a rank in the gather, with padding.
    def gather_count(self):
        return self.count if self.small is None else self.count * (self.group.ranks // self.group.post_ranks)

    # Over the smaller mesh, from what is there.
    def make_small(self):
        mesh = self.group.post_mesh
        part = self.part_of(self.buffer.tensor, self.chunk * (self.group.ranks // self.group.post_ranks), mesh.get_local_rank(1))
        made = _c10d._make_dtensor(part, self.size, mesh, (Replicate(), Shard(self.dim)))
        self.small = nn.Parameter(made, requires_grad=self.requires_grad)

    def allocate(self):
        if self.buffer is None:
            self.buffer = _c10d._Releasable(self.size, self.param_dtype, self.sharded.device)
            self.unsharded = nn.Parameter(self.buffer.tensor, requires_grad=self.requires_grad)
        self.unsharded.requires_grad_(self.sharded.requires_grad)
        self.buffer.restore()

    # Of all passes that were not reduced and of this one; None: there is none.
    def take_gradient(self):
        grad = self.unsharded.grad if self.unsharded is not None else None
        if self.unsharded is not None:
            self.unsharded.grad = None
        if self.accumulated is not None:
            grad = self.accumulated if grad is None else self.accumulated + grad
            self.accumulated = None
        return grad

    def keep_gradient(self):
        grad = self.take_gradient()
        if grad is not None:
            self.accumulated = grad.to(self.group.reduce_dtype or self.dtype)

    # Of one that was not used: its zeros go along, so that all ranks send the same.
    def zero_gradient(self):
        return torch.zeros(self.size, dtype=self.param_dtype)

    # [ranks, count], with zeros behind the rows that are there.
    def gradient_rows(self, grad):
        if self.dim > 0:
            parts = grad.reshape(self.outer, self.group.ranks, self.count // self.outer if self.outer else 0)
            return parts.transpose(0, 1).reshape(self.group.ranks, self.count)
        rows = self.chunk * self.group.ranks
        if rows != grad.size(0):
            grad = torch.cat([grad, grad.new_zeros([rows - grad.size(0)] + list(self.size)[1:])])
        return grad.reshape(self.group.ranks, self.count)


# Of one parameter: the policy's, unless its function says otherwise.
def _param_dtype(policy, parameter):
    dtype = policy.param_dtype
    if policy.param_dtype_override_fn is not None:
        override = policy.param_dtype_override_fn(parameter)
        if override is not None:
            if not isinstance(override, torch.dtype):
                raise ValueError("param_dtype_override_fn must return a torch.dtype or None but got " + str(type(override)))
            if override not in (policy.param_dtype, parameter.dtype):
                raise ValueError("param_dtype_override_fn must return None, param_dtype, or the parameter's original dtype but got " +
                                 str(override) + " for a parameter with dtype " + str(parameter.dtype) + " and param_dtype " +
                                 str(policy.param_dtype))
            dtype = override
    return dtype or parameter.dtype


class ParamGroup:
    def __init__(self, params, modules, managed, mesh, policy, reshard_after_forward, placement_of, post_mesh):
        self.modules = modules
        self.mesh = mesh
        self.process_group = mesh.get_group(mesh.ndim - 1)
        self.replicas = mesh.get_group(0) if mesh.ndim == 2 else None
        self.ranks = dist.get_world_size(self.process_group)
        self.rank = dist.get_rank(self.process_group)
        self.post_mesh = post_mesh  # that parameters are cut over behind forward; None: all of it, or none
        self.post_ranks = post_mesh.size(1) if post_mesh is not None else self.ranks
        self.reduce_dtype = policy.reduce_dtype
        self.reshard_after_forward = reshard_after_forward
        self.reshard_after_backward = True
        self.keeps_storage = False
        self.reduces_unused = False
        self.unshard_in_backward = True
        self.reduces = True
        self.all_reduces = True
        self.sums = False
        self.divide_factor = None
        self.all_reduce_hook = None
        self.training = 'idle'
        self.is_unsharded = False
        self.gathering = None
        self.reducing = None
        self.partial = None  # reduced over the shards, not yet over the replicas
        self.post_forward_places = []
        places = {}
        for module in managed:
            for name, parameter in module._parameters.items():
                places.setdefault(id(parameter), []).append((module, name))
        self.params = [ShardedParam(name, parameter, places[id(parameter)], self, placement_of(parameter) if placement_of else None, policy)
                       for name, parameter in params]
        # Of several dtypes bytes are gathered.
        self.is_mixed = len({each.param_dtype for each in self.params}) > 1

    def check_dtypes(self):
        dtypes = {each.dtype for each in self.params if each.requires_grad}
        if len(dtypes) > 1:
            raise AssertionError("FSDP expects uniform original parameter dtype but got " + str(dtypes))

    # Starts the gather, unless they are there or it is under way.
    def unshard(self):
        if self.is_unsharded or self.gathering is not None:
            return
        if self.training == 'pre_backward' and not self.unshard_in_backward:
            return
        with torch.no_grad():
            for each in self.params:
                each.check_sharded()
            flat = torch.cat([self.seen(each.gather_input()) for each in self.params])
            if self.ranks == 1:
                self.gathering = (flat, None)
                return
            is_small = self.params[0].small is not None
            gathered = torch.empty(flat.numel() * (self.post_ranks if is_small else self.ranks), dtype=flat.dtype)
            group = self.post_mesh.get_group(1) if is_small else self.process_group
            work = dist.all_gather_into_tensor(gathered, flat, group=group, async_op=True)
            self.gathering = (gathered, work)

    def seen(self, tensor):
        return tensor.view(torch.uint8) if self.is_mixed else tensor

    def wait(self):
        if self.gathering is None:
            return
        gathered, work = self.gathering
        self.gathering = None
        if work is not None:
            work.wait()
        with torch.no_grad():
            for each in self.params:
                each.allocate()
            counts = [each.gather_count() * (each.param_dtype.itemsize if self.is_mixed else 1) for each in self.params]
            _c10d._split_into(gathered, counts, [self.seen(each.buffer.tensor) for each in self.params], [each.outer for each in self.params])
        for each in self.params:
            each.small = None
            each.register(each.unsharded)
        self.is_unsharded = True

    def to_sharded(self):
        if self.gathering is not None:
            self.wait()
        for each in self.params:
            if self.is_unsharded or each.small is not None:
                each.register(each.sharded)
            each.small = None
        self.release()

    def to_small(self):
        with torch.no_grad():
            for each in self.params:
                each.make_small()
                each.register(each.small)
        self.release()

    def release(self):
        if self.is_unsharded and not self.keeps_storage:
            for each in self.params:
                each.buffer.release()
        self.is_unsharded = False

    def post_forward(self, iteration):
        if self.reshard_after_forward and self.post_mesh is not None and self.is_unsharded:
            self.to_small()
        elif self.reshard_after_forward:
            self.to_sharded()
        self.post_forward_places.append(len(iteration.post_forward_order))
        iteration.post_forward_order.append(self)
        self.training = 'idle'

    def pre_backward(self, iteration, prefetches):
        if self.training == 'pre_backward':
            return
        self.training = 'pre_backward'
        self.unshard()
        self.wait()
        if prefetches and self.post_forward_places:
            place = self.post_forward_places.pop()
            if place > 0:
                iteration.post_forward_order[place - 1].prefetch_backward()

    def prefetch_backward(self):
        before = self.training
        self.training = 'pre_backward'
        self.unshard()
        self.training = before

    def post_backward(self):
        self.training = 'post_backward'
        with torch.no_grad():
            if not self.reduces:
                for each in self.params:
                    each.keep_gradient()
                if self.reshard_after_backward:
                    self.to_sharded()
                return
            self.finish_reduction()
            params, grads = [], []
            for each in self.params:
                grad = each.take_gradient()
                if grad is None and self.reduces_unused and each.sharded.requires_grad:
                    grad = each.zero_gradient()
                if grad is not None:
                    params.append(each)
                    grads.append(grad)
            if self.reshard_after_backward:
                self.to_sharded()
            if grads:
                self.reduce(params, grads)

    def factors(self, dtype):
        size = self.ranks * (dist.get_world_size(self.replicas) if self.replicas is not None else 1)
        factor = self.divide_factor
        risks = dtype not in (torch.float32, torch.bfloat16)
        if not risks and not self.sums:
            if factor is None:
                return (None, None, ReduceOp.SUM, ReduceOp.SUM) if size == 1 else (None, None, ReduceOp.AVG, ReduceOp.AVG)
            if factor == self.ranks:
                return None, None, ReduceOp.AVG, ReduceOp.SUM
            return None, None, dist._make_nccl_premul_sum(1 / factor), ReduceOp.SUM
        factor = float(size) if factor is None else factor
        if not risks:
            return None, factor, ReduceOp.SUM, ReduceOp.SUM
        before = 1
        while factor % before == 0 and factor / before > before:
            before *= 2
        return before, factor / before, ReduceOp.SUM, ReduceOp.SUM

    def reduce(self, params, grads):
        dtype = self.reduce_dtype
        if dtype is None:
            dtype = params[0].dtype
            for each in params[1:]:
                dtype = torch.promote_types(dtype, each.dtype)
        rows = [each.gradient_rows(grad).to(dtype) for each, grad in zip(params, grads)]
        flat = torch.cat(rows, dim=1).reshape(-1)
        before, after, scatter_op, reduce_op = self.factors(dtype)
        if before is not None and before != 1:
            flat.div_(before)
        if self.ranks > 1:
            out = torch.empty(flat.numel() // self.ranks, dtype=dtype)
            work = dist.reduce_scatter_tensor(out, flat, op=scatter_op, group=self.process_group, async_op=True)
        else:
            out = flat if self.divide_factor is None else flat / self.divide_factor
            work = None
        self.reducing = (params, out, work, after, reduce_op)
        if self.replicas is not None or any(each.sharded.grad is not None for each in params):
            self.finish_reduction()

    # Waits, and adds what came to the parts' gradients.
    def finish_reduction(self):
        if self.reducing is None:
            return
        params, out, work, after, reduce_op = self.reducing
        self.reducing = None
        with torch.no_grad():
            if work is not None:
                work.wait()
            if self.replicas is not None:
                if self.partial is not None:
                    out = out + self.partial
                    self.partial = None
                if not self.all_reduces:
                    self.partial = out
                    return
                dist.all_reduce(out, op=reduce_op, group=self.replicas)
            if self.all_reduce_hook is not None:
                self.all_reduce_hook(out)
            if after is not None and after != 1:
                out.div_(after)
            at = 0
            for each in params:
                local = each.local()
                part = out.narrow(0, at, local.numel()).reshape(local.shape).to(each.dtype)
                at += each.count
                grad = each.sharded.grad
                if grad is None:
                    each.sharded.grad = each.dtensor(part)
                else:
                    grad._local_tensor.add_(part)

    # What was under way is lost, with its gradients.
    def reset(self):
        if self.reducing is not None and self.reducing[2] is not None:
            self.reducing[2].wait()
        self.reducing = None
        self.partial = None
        for each in self.params:
            each.take_gradient()
        self.to_sharded()
        self.training = 'idle'
        self.post_forward_places = []

    def end_iteration(self):
        if self.gathering is not None:
            if self.gathering[1] is not None:
                self.gathering[1].wait()
            self.gathering = None
        self.post_forward_places = []
