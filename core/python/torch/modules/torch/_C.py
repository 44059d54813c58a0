# SPDX-License-Identifier: Apache-2.0
# What sources ask of PyTorch's own library.
from torch import Generator


def _log_api_usage_once(*args):
    pass


def _get_tracing_state():
    return None


def _jit_set_profiling_executor(value):
    return True


def _jit_set_profiling_mode(value):
    return True


_jit_override_can_fuse_on_cpu = _jit_override_can_fuse_on_gpu = _jit_set_texpr_fuser_enabled = _jit_set_profiling_mode
_jit_set_nvfuser_enabled = _jit_set_profiling_mode


def has_cuda():
    return False
