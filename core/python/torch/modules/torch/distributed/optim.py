# SPDX-License-Identifier: Apache-2.0
import torch
import torch.distributed as dist
from torch.distributed.algorithms.join import Join, Joinable, JoinHook, _JoinConfig
from torch.optim import Optimizer


class _ZeROJoinHook(JoinHook):
    def __init__(self, zero):
        self.zero = zero

    def main_hook(self):
        self.zero.step()


# Each rank keeps the optimizer's state of a part of the parameters, updates these, and gives them to the others.
class ZeroRedundancyOptimizer(Optimizer, Joinable):
    def __init__(self, params, optimizer_class, process_group=None, parameters_as_bucket_view=False, overlap_with_ddp=False, **defaults):
        if overlap_with_ddp:
            raise NotImplementedError("ZeroRedundancyOptimizer(overlap_with_ddp=True) is not here")
        params = list(params)
        if not params:
            raise ValueError("ZeroRedundancyOptimizer got an empty parameter list")
        Optimizer.__init__(self, params, defaults)
        self._join_config = _JoinConfig.construct_disabled_join_config()
        self.process_group = process_group if process_group is not None else dist.group.WORLD
        self.world_size = dist.get_world_size(self.process_group)
        self.rank = dist.get_rank(self.process_group)
        self._optim_defaults = defaults
        self._optim_constructor = optimizer_class
        self._parts = self._partition_parameters()
        self._all_state_dicts = []
        self.initialized = True
        own = [dict((k, v) for k, v in self._parts[self.rank][g].items()) for g in range(len(self.param_groups))]
        self.optim = optimizer_class(own, **defaults) if any(g['params'] for g in own) else None
        if self.optim is not None:
            for mine, theirs in zip(self.param_groups, self.optim.param_groups):
                for key, value in theirs.items():
                    if key != 'params':
                        mine.setdefault(key, value)

    # The largest parameter first, each to the rank that has least.
    def _partition_parameters(self):
        parts = [[] for _ in range(self.world_size)]
        sizes = [0] * self.world_size
        for group in self.param_groups:
            lists = [[] for _ in range(self.world_size)]
            for p in sorted(group['params'], key=lambda t: t.numel(), reverse=True):
                rank = sizes.index(min(sizes))
                lists[rank].append(p)
                sizes[rank] += p.numel()
            for rank in range(self.world_size):
                part = dict((k, v) for k, v in group.items() if k != 'params')
                part['params'] = lists[rank]
                parts[rank].append(part)
        return parts

    def _sync_param_groups(self):
        if self.optim is None:
            return
        for mine, theirs in zip(self.param_groups, self.optim.param_groups):
            for key, value in mine.items():
                if key != 'params':
                    theirs[key] = value

    def step(self, closure=None, **kwargs):
        Join.notify_join_context(self)
        self._sync_param_groups()
        loss = None
        if self.optim is not None:
            loss = self.optim.step(**kwargs) if closure is None else self.optim.step(closure=closure, **kwargs)
        elif closure is not None:
            with torch.enable_grad():
                loss = closure()
        works = []
        for rank in range(self.world_size):
            for part in self._parts[rank]:
                for p in part['params']:
                    works.append(dist.broadcast(p.detach(), group_src=rank, group=self.process_group, async_op=True))
        for work in works:
            work.wait()
        return loss

    def zero_grad(self, set_to_none=True):
        for group in self.param_groups:
            for p in group['params']:
                if set_to_none:
                    p.grad = None
                elif p.grad is not None:
                    p.grad.zero_()

    def join_hook(self, **kwargs):
        return _ZeROJoinHook(self)

    @property
    def join_device(self):
        return self.param_groups[0]['params'][0].device

    @property
    def join_process_group(self):
        return self.process_group

    def consolidate_state_dict(self, to=0):
        own = self.optim.state_dict() if self.optim is not None else None
        everything = dist._objects(own, self.process_group, "consolidate_state_dict")
        self._all_state_dicts = everything if self.rank == to else []

    def state_dict(self):
        if len(self._all_state_dicts) == 0:
            raise RuntimeError("Optimizer state has not been consolidated on this rank. Please call `consolidate_state_dict(to=" +
                               str(self.rank) + ")` on all ranks beforehand if you meant to save the global state.")
        index = {}
        for group in self.param_groups:
            for p in group['params']:
                index[id(p)] = len(index)
        state = {}
        for rank, local in enumerate(self._all_state_dicts):
            if local is None:
                continue
            at = 0
            for part in self._parts[rank]:
                for p in part['params']:
                    if at in local['state']:
                        state[index[id(p)]] = local['state'][at]
                    at += 1
        groups = []
        for group in self.param_groups:
            out = dict((k, v) for k, v in group.items() if k != 'params')
            out['params'] = [index[id(p)] for p in group['params']]
            groups.append(out)
        return {'state': dict((k, state[k]) for k in sorted(state)), 'param_groups': groups}

    def load_state_dict(self, state_dict):
        index = {}
        for group in self.param_groups:
            for p in group['params']:
                index[id(p)] = len(index)
        for group, given in zip(self.param_groups, state_dict['param_groups']):
            for key, value in given.items():
                if key != 'params':
                    group[key] = value
        if self.optim is None:
            return
        own = {}
        at = 0
        for part in self._parts[self.rank]:
            for p in part['params']:
                if index[id(p)] in state_dict['state']:
                    own[at] = state_dict['state'][index[id(p)]]
                at += 1
        local = self.optim.state_dict()
        local['state'] = own
        self.optim.load_state_dict(local)
        self._sync_param_groups()
