# SPDX-License-Identifier: Apache-2.0
"""The operators of torchvision: suppression of boxes, pooling of regions, deformable convolution."""
import torch
import torchvision  # registers them
from torch import float16, float32, float64

ROI_OPERATORS = {"roi_align": (2, True), "roi_pool": (), "ps_roi_align": (2,), "ps_roi_pool": ()}


def draw(*sizes, dtype=float32, grad=True):
    # Few digits keep the file small.
    return ((torch.randn(sizes) * 8).round() / 8).to(dtype).requires_grad_(grad and dtype.is_floating_point)


def boxes(n, extent=10.0):
    corners = torch.rand(n, 2) * extent
    return torch.cat([corners, corners + torch.rand(n, 2) * extent], 1)


def regions(n, dtype, batch=2, extent=8.0):
    """Some hang over the edges."""
    rows = torch.cat([torch.randint(0, batch, (n, 1)).float(), boxes(n, extent) - 1.5], 1)
    return ((rows * 16).round() / 16).to(dtype)


def suppression(call):
    for dtype in (float32, float64):
        for n, threshold in ((40, 0.5), (40, 0.1), (150, 0.3), (1, 0.5)):
            call("torchvision::nms", boxes(n).to(dtype), torch.rand(n, dtype=dtype), threshold)
        call("torchvision::nms", torch.zeros(0, 4, dtype=dtype), torch.zeros(0, dtype=dtype), 0.5)
    tied = boxes(30)
    call("torchvision::nms", tied, torch.ones(30), 0.4)
    call("torchvision::nms", tied, torch.randint(0, 3, (30,)).float(), 0.4)
    call("torchvision::nms", tied.t().contiguous().t(), torch.rand(60)[::2], 0.4)
    same = torch.tensor([[0.0, 0, 2, 2], [0, 0, 2, 1], [0, 0, 2, 2], [3, 3, 3, 3], [3, 3, 3, 3], [5, 5, 4, 4]])
    for threshold in (0.0, 0.5, 1.0, -1.0, 2.0, 0.49999999):
        call("torchvision::nms", same, torch.tensor([0.5, 0.9, 0.5, 0.1, 0.2, 0.3]), threshold)
    odd = torch.tensor([[0.0, 0, 2, 2], [0, 0, float("nan"), 2], [0, 0, 2, 2], [0, 0, float("inf"), float("inf")], [float("-inf"), 0, 1, 1]])
    call("torchvision::nms", odd, torch.tensor([0.5, 0.9, float("nan"), 0.1, float("inf")]), 0.5)
    rand = torch.rand
    for dets, scores in ((rand(4), rand(4)), (rand(4, 3), rand(4)), (rand(4, 4), rand(4, 1)), (rand(4, 4), rand(5)), (rand(4, 4), rand(4).double()),
                         (torch.tensor(1.0), rand(1))):
        call("torchvision::nms", dets, scores, 0.5)
    call("torchvision::nms", rand(4, 4).half(), rand(4).half(), 0.5, error="\"nms_kernel\" not implemented for 'Half'")
    call("torchvision::nms", rand(4, 4).long(), rand(4).long(), 0.5, error="\"nms_kernel\" not implemented for 'Long'")


def differentiable(call, op, image, rois, *rest):
    tolerance = 2e-2 if image.dtype == float16 else 2e-6
    call("torchvision::" + op, image, rois, *rest, grads=True, tolerance=tolerance)


def pooled_regions(call):
    for dtype in (float32, float64, float16):
        image = lambda channels: draw(2, channels, 6, 5, dtype=dtype)
        for ratio in (2, -1):
            for aligned in (True, False):
                differentiable(call, "roi_align", image(2), regions(3, dtype), 0.75, 2, 3, ratio, aligned)
            differentiable(call, "ps_roi_align", image(6), regions(3, dtype), 0.75, 3, 2, ratio)
        for scale in (0.5, 1.3):
            differentiable(call, "roi_pool", image(2), regions(3, dtype), scale, 2, 3)
            differentiable(call, "ps_roi_pool", image(6), regions(3, dtype), scale, 3, 2)
        for op, rest in ROI_OPERATORS.items():
            differentiable(call, op, image(4), regions(0, dtype), 1.0, 2, 2, *rest)
    # Regions without extent, turned inside out, and far outside.
    odd = torch.tensor([[0.0, 2, 2, 2, 2], [1, 5, 5, 2, 1], [1, 40, 40, 60, 60], [0, -30, -30, -20, -9], [0, -100, -100, 200, 200], [1.9, 0, 0, 6, 7]])
    for op, rest in ROI_OPERATORS.items():
        for last in ((2, True), (2, False), (-1, True), (-1, False)) if op == "roi_align" else ((2,), (-1,)) if op == "ps_roi_align" else ((),):
            differentiable(call, op, draw(2, 4, 6, 5), odd, 1.0, 2, 2, *last)
        turned = draw(2, 4, 5, 6, grad=False).transpose(2, 3).detach().requires_grad_()
        differentiable(call, op, turned, regions(3, float32).t().contiguous().t(), 1.0, 2, 2, *rest)


def refused_regions(call):
    rand = torch.zeros
    for op, rest in ROI_OPERATORS.items():
        name = "torchvision::" + op
        shape = "rois must have shape as Tensor[K, 5]" if op == "roi_align" else "Tensor rois should have shape as Tensor[K, 5]"
        call(name, rand(1, 4, 2, 2), rand(3, 4), 1.0, 2, 2, *rest, error=shape)
        call(name, rand(1, 4, 2, 2), rand(3, 5, 1), 1.0, 2, 2, *rest, error=shape)
        if op != "roi_pool":  # it reads past its rois
            call(name, rand(1, 4, 2, 2), rand(5), 1.0, 2, 2, *rest)
        call(name, rand(1, 4, 2, 2), rand(3, 5).double(), 1.0, 2, 2, *rest)
        call(name, rand(4, 2, 2), torch.zeros(3, 5), 1.0, 2, 2, *rest)
        call(name, rand(1, 4, 2, 2), torch.zeros(3, 5), 1.0, -2, 2, *rest)
        for dtype, text in ((torch.int64, "Long"), (torch.bfloat16, "BFloat16")):
            call(name, rand(1, 4, 2, 2).to(dtype), torch.zeros(3, 5).to(dtype), 1.0, 2, 2, *rest, error=f"\"{op}_forward_kernel\" not implemented for '{text}'")
        # PyTorch reads whatever memory is there.
        for image in (1.0, -1.0, float("nan"), 1e20):
            call(name, rand(1, 4, 2, 2), torch.tensor([[image, 0, 0, 4, 4]]), 1.0, 2, 2, *rest, error="rois[0][0] must be the index of one of the 1 images")
        if op.startswith("ps"):
            call(name, rand(1, 7, 2, 2), torch.zeros(3, 5), 1.0, 2, 2, *rest)
            call(name, rand(1, 4, 2, 2), torch.zeros(3, 5), 1.0, 0, 2, *rest, error=op + ": the pooled size must not be 0, but is 0x2")
    g, r, i = rand(1, 2, 2, 2), torch.tensor([[0.0, 0, 0, 4, 4]]), torch.zeros(1, 2, 2, 2, dtype=torch.int32)
    call("torchvision::_roi_align_backward", g, r, 1.0, 2, 2, 1, 2, 5, 5, 2, True, tolerance=1e-6)
    call("torchvision::_roi_align_backward", g, r.double(), 1.0, 2, 2, 1, 2, 5, 5, 2, True)
    call("torchvision::_roi_align_backward", g, r, 1.0, 2, 2, 1, 2, -5, 5, 2, True)
    call("torchvision::_roi_align_backward", g, r, 1.0, 2, 2, 1, 3, 5, 5, 2, True, error="Expected grad of size [1, 3, 2, 2], but got [1, 2, 2, 2]")
    call("torchvision::_roi_pool_backward", g, r, i + 3, 1.0, 2, 2, 1, 2, 5, 5, tolerance=1e-6)
    call("torchvision::_roi_pool_backward", g, r, i + 25, 1.0, 2, 2, 1, 2, 5, 5, error="argmax holds 25")
    call("torchvision::_ps_roi_pool_backward", rand(1, 1, 2, 2), r, i[:, :1] + 1, 1.0, 2, 2, 1, 4, 5, 5, tolerance=1e-6)
    call("torchvision::_ps_roi_pool_backward", rand(1, 1, 2, 2), r, i[:, :1] + 4, 1.0, 2, 2, 1, 4, 5, 5, error="channel_mapping holds 4")
    call("torchvision::_ps_roi_align_backward", rand(1, 1, 2, 2), r, i[:, :1] - 1, 1.0, 2, 2, 2, 1, 4, 5, 5, error="channel_mapping holds -1")


def deformable(call, image=(2, 4, 5, 4), weight=(6, 2, 3, 2), offset=(2, 24, 3, 3), mask=(2, 12, 3, 3), bias=(6,), steps=(1, 1, 0, 0, 1, 1), groups=(2, 2), use_mask=True,
               dtype=float32, offset_dtype=None, weight_dtype=None, scale=1.0, **options):
    tensors = [draw(*image, dtype=dtype), draw(*weight, dtype=weight_dtype or dtype), draw(*offset, dtype=offset_dtype or dtype), draw(*mask, dtype=dtype),
               draw(*bias, dtype=dtype)]
    tensors[2] = (tensors[2].detach() * scale).requires_grad_()
    call("torchvision::deform_conv2d", *tensors, *steps, *groups, use_mask, **options)


def deformable_convolutions(call):
    good = dict(grads=True, tolerance=5e-6)
    deformable(call, dtype=float64, scale=3.0, **good)
    deformable(call, weight=(3, 4, 3, 2), groups=(1, 2), bias=(3,), **good)
    deformable(call, use_mask=False, mask=(2, 1), **good)
    deformable(call, dtype=float64, weight=(4, 1, 3, 2), groups=(4, 1), bias=(4,), offset=(2, 12, 3, 3), mask=(2, 6, 3, 3), **good)
    deformable(call, steps=(2, 1, 1, 2, 1, 2), offset=(2, 24, 3, 6), mask=(2, 12, 3, 6), **good)
    # Offsets of zero put taps right on the edge of the padding.
    deformable(call, steps=(1, 1, 1, 1, 1, 1), offset=(2, 24, 5, 5), mask=(2, 12, 5, 5), scale=0.0, **good)
    deformable(call, image=(0, 4, 5, 4), offset=(0, 24, 3, 3), mask=(0, 12, 3, 3))
    deformable(call, bias=(6, 1), tolerance=5e-6)
    # Small ones that would be good: one image, a kernel of 1x1.
    small = dict(image=(2, 4, 2, 2), weight=(6, 2, 1, 1), offset=(2, 4, 2, 2), mask=(2, 2, 2, 2))
    wrong = [dict(image=(4, 2, 2)), dict(weight=(6, 2, 1)), dict(offset=(2, 4, 2)), dict(mask=(2, 2, 2)), dict(weight=(6, 4, 1, 1)),
             dict(weight=(5, 2, 1, 1)), dict(offset=(2, 6, 2, 2)), dict(mask=(2, 3, 2, 2)), dict(offset=(1, 4, 2, 2)), dict(mask=(1, 2, 2, 2)),
             dict(offset=(2, 4, 2, 3)), dict(mask=(2, 2, 3, 2)), dict(weight=(6, 2, 3, 1), offset=(2, 12, 2, 2), mask=(2, 6, 2, 2)),
             dict(weight=(6, 2, 3, 3), offset=(2, 36, 0, 0), mask=(2, 18, 0, 0)), dict(steps=(1, 1, -1, 0, 1, 1)), dict(steps=(1, 1, 0, 0, 0, 1)),
             dict(bias=(5,)), dict(bias=(0,)), dict(offset_dtype=float64), dict(weight_dtype=float64),
             dict(groups=(2, 3), offset=(2, 6, 2, 2), mask=(2, 3, 2, 2)), dict(use_mask=False, mask=(0, 1))]
    for case in wrong:
        deformable(call, **{**small, **case}, scale=0.0)
    # PyTorch divides by zero, or has only half a dtype.
    deformable(call, **small, steps=(0, 1, 0, 0, 1, 1), error="stride_h: 0 stride_w: 1")
    deformable(call, **small, groups=(0, 2), error="deform_conv2d: groups must be positive")
    deformable(call, **small, groups=(2, 0), error="deform_conv2d: groups must be positive")
    deformable(call, **small, dtype=torch.int64, error="\"deformable_im2col\" not implemented for 'Long'")
    deformable(call, **small, dtype=float16, error="\"addmm_impl_cpu_\" not implemented for 'Half'")


def add(cases):
    torch.manual_seed(20220601)
    suppression(cases.call)
    pooled_regions(cases.call)
    refused_regions(cases.call)
    deformable_convolutions(cases.call)
