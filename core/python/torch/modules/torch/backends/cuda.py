# SPDX-License-Identifier: Apache-2.0
# The kernels of attention can be chosen among, which changes nothing: there is one here.
from contextlib import contextmanager

import torch


# TF32 of products is one setting, which torch.set_float32_matmul_precision names too.
class _MatmulSettings:
    _set = {'allow_fp16_reduced_precision_reduction': True, 'allow_bf16_reduced_precision_reduction': True,
            'allow_fp16_accumulation': False}
    _precision = 'none'

    def __getattr__(self, name):
        if name == 'allow_tf32':
            return torch.get_float32_matmul_precision() != 'highest'
        if name == 'fp32_precision':
            return 'tf32' if self.allow_tf32 else _MatmulSettings._precision
        if name in _MatmulSettings._set:
            return _MatmulSettings._set[name]
        raise AttributeError('Unknown attribute ' + name)

    def __setattr__(self, name, value):
        if name == 'allow_tf32':
            torch.set_float32_matmul_precision('high' if value else 'highest')
            _MatmulSettings._precision = 'none' if value else 'ieee'
        elif name == 'fp32_precision':
            torch.set_float32_matmul_precision('high' if value == 'tf32' else 'highest')
            _MatmulSettings._precision = value
        elif name in _MatmulSettings._set:
            _MatmulSettings._set[name] = value
        else:
            raise AttributeError('Unknown attribute ' + name)


class _PlanCache:
    size = 0
    max_size = 4096

    def clear(self):
        pass


matmul = _MatmulSettings()
cufft_plan_cache = _PlanCache()
_enabled = {'flash': True, 'math': True, 'mem_efficient': True, 'cudnn': True}


def is_built():
    return False


def is_available():
    return torch.cuda.is_available()


def _asker(kind):
    return lambda: _enabled[kind]


def _setter(kind):
    def enable(enabled):
        _enabled[kind] = bool(enabled)

    return enable


flash_sdp_enabled, enable_flash_sdp = _asker('flash'), _setter('flash')
math_sdp_enabled, enable_math_sdp = _asker('math'), _setter('math')
mem_efficient_sdp_enabled, enable_mem_efficient_sdp = _asker('mem_efficient'), _setter('mem_efficient')
cudnn_sdp_enabled, enable_cudnn_sdp = _asker('cudnn'), _setter('cudnn')


def is_flash_attention_available():
    return False


def can_use_flash_attention(params, debug=False):
    return False


can_use_efficient_attention = can_use_cudnn_attention = can_use_flash_attention


def preferred_linalg_library(backend=None):
    return 'default'


preferred_blas_library = preferred_rocm_fa_library = preferred_linalg_library


@contextmanager
def sdp_kernel(enable_flash=True, enable_math=True, enable_mem_efficient=True, enable_cudnn=True):
    before = dict(_enabled)
    _enabled.update(flash=enable_flash, math=enable_math, mem_efficient=enable_mem_efficient, cudnn=enable_cudnn)
    try:
        yield {}
    finally:
        _enabled.update(before)
