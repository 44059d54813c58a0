# SPDX-License-Identifier: Apache-2.0
# How PyTorch says that it was built.


def show():
    return "PyTorch built with:\n  - Tensorloupe's engine\n"


def parallel_info():
    import torch
    return "ATen/Parallel:\n\tat::get_num_threads() : {}\n".format(torch.get_num_threads())
