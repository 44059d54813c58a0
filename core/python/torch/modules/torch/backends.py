# SPDX-License-Identifier: Apache-2.0
# What runs tensors here is asked for by many names; there is one engine behind them.
from torch.backends import cpu, cuda, cudnn, mha, mkl, mkldnn, mps, openmp, opt_einsum, quantized, xeon

__allow_nonbracketed_mutation_flag = True
