# SPDX-License-Identifier: Apache-2.0
# Ranks that run out of inputs take part in the collectives of the others until all have.
import warnings
import torch
import torch.distributed as dist


class JoinHook:
    def main_hook(self):
        pass

    def post_hook(self, is_last_joiner):
        pass


class _JoinConfig:
    def __init__(self, enable, throw_on_early_termination, is_first_joinable):
        self.enable = enable
        self.throw_on_early_termination = throw_on_early_termination
        self.is_first_joinable = is_first_joinable

    @staticmethod
    def construct_disabled_join_config():
        return _JoinConfig(False, False, False)


class Joinable:
    def __init__(self):
        super().__init__()
        self._join_config = _JoinConfig.construct_disabled_join_config()

    def join_hook(self, **kwargs):
        raise NotImplementedError

    @property
    def join_device(self):
        raise NotImplementedError

    @property
    def join_process_group(self):
        raise NotImplementedError


class Join:
    def __init__(self, joinables, enable=True, throw_on_early_termination=False, **kwargs):
        if len(joinables) == 0:
            raise ValueError("The join context manager requires at least one joinable")
        self._joinables = joinables
        self._join_hooks = [joinable.join_hook(**kwargs) for joinable in joinables]
        self._enable = enable
        self._throw_on_early_termination = throw_on_early_termination
        for i, joinable in enumerate(joinables):
            joinable._join_config = _JoinConfig(enable, throw_on_early_termination, i == 0)
        group = joinables[0].join_process_group
        if any(joinable.join_process_group != group for joinable in joinables):
            raise ValueError("Using join context manager with multiple process groups")
        self._process_group = group
        self._rank = dist.get_rank(group)
        self._device = joinables[0].join_device

    def __enter__(self):
        pass

    def __exit__(self, type, value, traceback):
        if not self._enable or type:
            return
        is_last_joiner = True
        skew = 0
        while self._count_nonjoined() != 0:
            if skew == 1001:
                warnings.warn("Detected uneven input skew of greater than 1000. This means that rank " + str(self._rank) + " has at least 1000 "
                              "fewer inputs than other currently-active ranks. This level of skew could lead to performance degradation "
                              "during training.")
            if self._throw_on_early_termination:
                dist.all_reduce(torch.ones(1, device=self._device), group=self._process_group)
                raise RuntimeError("Rank " + str(self._rank) + " exhausted all inputs.")
            for hook in self._join_hooks:
                hook.main_hook()
            is_last_joiner = False
            skew += 1
        for hook in self._join_hooks:
            hook.post_hook(is_last_joiner)

    # Ranks that still have inputs add one each.
    def _count_nonjoined(self):
        count = torch.zeros(1, device=self._device)
        dist.all_reduce(count, group=self._process_group)
        return count.item()

    @staticmethod
    def notify_join_context(joinable):
        if not hasattr(joinable, '_join_config'):
            raise AssertionError("Check that the " + str(type(joinable)) + " constructor calls the ``Joinable`` constructor")
        config = joinable._join_config
        if not config.is_first_joinable or not config.enable:
            return None
        group = joinable.join_process_group
        ones = torch.ones(1, device=joinable.join_device)
        work = dist.all_reduce(ones, group=group, async_op=True)
        if config.throw_on_early_termination:
            zeros = torch.zeros(1, device=joinable.join_device)
            dist.all_reduce(zeros, group=group)
            if zeros.item():
                raise RuntimeError("Detected at least one rank that exhausted inputs. Throwing across all ranks.")
        return work
