# SPDX-License-Identifier: Apache-2.0
# Read and written by sources; nothing is compiled.
coordinate_descent_tuning = False
epilogue_fusion = True
fx_graph_cache = True
max_autotune = False
force_fuse_int_mm_with_mul = False
use_mixed_mm = False
freezing = False
triton = type('triton', (), {'unique_kernel_names': False, 'cudagraphs': False})
cpp = type('cpp', (), {'threads': -1})
