#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes autocast.txt: what the newest PyTorch's autocast does with each operator. Run by hand.

A line is "cpu NAME POLICY" or "cuda NAME"; the registrations say which operators have a rule, PyTorch's own test lists and a call
on bfloat16 tensors which of them are cast to the lower precision on the CPU, and which take the widest dtype.
"""
import os

import torch
import torchvision  # noqa: F401  registers its operators
from torch.testing._internal.autocast_test_lists import AutocastCPUTestLists

lists = AutocastCPUTestLists(torch.device("cpu"))
lower = {case[0] for case in lists.torch_16 + lists.nn_16} | {
    # Not in the lists; a call under autocast gives bfloat16 for float32 arguments.
    "_convolution", "linalg_vecdot", "scaled_dot_product_attention", "mkldnn_rnn_layer"}
widest = {case[0] for case in lists.torch_need_autocast_promote} | {"index_copy"}
kept = {"torchvision::roi_align"}  # computes in float32 and gives back the dtype that came

q = torch.randn(1, 1, 2, 4)
with torch.autocast("cpu"):
    assert torch.linalg.vecdot(q, q).dtype == torch.bfloat16
    assert torch.nn.functional.scaled_dot_product_attention(q, q, q).dtype == torch.bfloat16
    assert torch.stack([q.bfloat16(), q]).dtype == torch.float32
    rois = torch.tensor([[0.0, 0, 0, 1, 1]])
    assert torchvision.ops.roi_align(q.bfloat16(), rois, 1).dtype == torch.bfloat16

path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "autocast.txt")
with open(path, "w") as file:
    print("# PyTorch", torch.__version__, "- made by make_autocast_table.py", file=file)
    for device in ("cpu", "cuda"):
        for name in sorted(set(torch._C._dispatch_get_all_op_names())):
            if not torch._C._dispatch_has_kernel_for_dispatch_key(name, f"Autocast{device.upper()}"):
                continue
            base = name.split("::")[1].split(".")[0]
            if device == "cuda":
                print(device, name, file=file)
                continue
            policy = "lower" if base in lower else "widest" if base in widest else "float32-kept" if name in kept else "float32"
            print(device, name, policy, file=file)
