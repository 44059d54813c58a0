# SPDX-License-Identifier: Apache-2.0
"""Quantisation by plain tensors, products with quantised weights, and operators of PyTorch 2 made of others. Needs PyTorch 2.15."""
import torch
import torch.ao.quantization.fx._decomposed  # noqa: F401, defines quantized_decomposed
import torch.nn.modules.linear_cross_entropy  # noqa: F401, defines torch_nn


def draw(*sizes, dtype=torch.float32, grad=False, seed=0):
    torch.manual_seed(seed + sum(sizes))
    return torch.randn(*sizes).to(dtype).requires_grad_(grad)


def imitated(c):
    for scale, zero_point, least, most in ((0.1, 5, -10, 10), (0.05, 0, -128, 127), (0.3, 128, 0, 255), (0.1, 11, -10, 10), (0.1, 0, 3, 2)):
        c.call("aten::fake_quantize_per_tensor_affine", draw(3, 5, grad=True), scale, zero_point, least, most, grads=True, tolerance=1e-6)
    for dtype in (torch.float64, torch.float16, torch.bfloat16):
        c.call("aten::fake_quantize_per_tensor_affine", draw(3, 5, dtype=dtype), 0.1, 5, -10, 10, tolerance=1e-3)
    c.call("aten::fake_quantize_per_tensor_affine", torch.tensor([0.05, 0.15, 0.25, -0.05, -0.15]), 0.1, 0, -8, 7, tolerance=1e-6)
    c.call("aten::fake_quantize_per_tensor_affine_cachemask", draw(3, 5), 0.1, 5, -10, 10, tolerance=1e-6)
    c.call("aten::fake_quantize_per_tensor_affine.tensor_qparams", draw(3, 5, grad=True), torch.tensor([0.1]), torch.tensor([5], dtype=torch.int32), -10, 10,
           grads=True, tolerance=1e-6)
    for enabled in (0, 1):
        c.call("aten::_fake_quantize_per_tensor_affine_cachemask_tensor_qparams", draw(3, 5), torch.tensor([0.1]), torch.tensor([5], dtype=torch.int32),
               torch.tensor([enabled]), -10, 10, tolerance=1e-6)
    scales = torch.tensor([0.1, 0.2, 0.05])
    for points in (torch.tensor([0, 3, -2], dtype=torch.int32), torch.tensor([0.5, 3.0, -2.25])):
        c.call("aten::fake_quantize_per_channel_affine", draw(3, 5, grad=True), scales, points, 0, -10, 10, grads=True, tolerance=1e-6)
        c.call("aten::fake_quantize_per_channel_affine", draw(2, 3, 2, grad=True), scales, points, 1, -10, 10, grads=True, tolerance=1e-6)
        c.call("aten::fake_quantize_per_channel_affine_cachemask", draw(3, 5), scales, points, 0, -10, 10, tolerance=1e-6)
    one = torch.tensor([0.1], requires_grad=True)
    for point in (0.0, 2.6, -3.5):
        c.call("aten::_fake_quantize_learnable_per_tensor_affine", draw(3, 5, grad=True), one, torch.tensor([point], requires_grad=True), -10, 10, 0.5,
               grads=True, tolerance=1e-5)
    c.call("aten::_fake_quantize_learnable_per_channel_affine", draw(3, 5, grad=True), scales.clone().requires_grad_(),
           torch.tensor([0.0, 3.0, -2.0], requires_grad=True), 0, -10, 10, 0.5, grads=True, tolerance=1e-5)


def observed(c):
    on, off = torch.tensor([1]), torch.tensor([0])
    for symmetric in (False, True):
        for first in (True, False):
            least = torch.tensor([float("inf") if first else -0.5])
            most = torch.tensor([float("-inf") if first else 0.75])
            c.call("aten::_fused_moving_avg_obs_fq_helper", draw(3, 5), on, on, least, most, torch.tensor([1.0]), torch.tensor([0], dtype=torch.int32), 0.01, 0, 255,
                   -1, False, symmetric, tolerance=1e-6)
    for observer, fake in ((on, off), (off, on), (off, off)):
        c.call("aten::_fused_moving_avg_obs_fq_helper", draw(3, 5), observer, fake, torch.tensor([-0.5]), torch.tensor([0.75]), torch.tensor([0.1]),
               torch.tensor([3], dtype=torch.int32), 0.01, -128, 127, -1, False, False, tolerance=1e-6)
    c.call("aten::_fused_moving_avg_obs_fq_helper", draw(3, 5), on, on, torch.full((3,), float("inf")), torch.full((3,), float("-inf")), torch.ones(3),
           torch.zeros(3, dtype=torch.int32), 0.01, -128, 127, 0, True, True, tolerance=1e-6)


def decomposed(c):
    q = "quantized_decomposed::"
    for dtype, least, most in ((torch.uint8, 0, 255), (torch.int8, -128, 127), (torch.int16, -1000, 1000), (torch.int32, -10, 10)):
        for source in (torch.float32, torch.bfloat16, torch.float16):
            c.call(q + "quantize_per_tensor", draw(3, 5, dtype=source), 0.1, 3, least, most, dtype)
        x = torch.arange(-6, 6).clamp(min=least).to(dtype)
        c.call(q + "dequantize_per_tensor", x, 0.1, 3, least, most, dtype, tolerance=1e-6)
        c.call(q + "dequantize_per_tensor", x, 0.1, 3, least, most, dtype, torch.bfloat16, tolerance=1e-2)
        c.call(q + "quantize_per_tensor.tensor", draw(3, 5), torch.tensor(0.1), torch.tensor(3), least, most, dtype)
        c.call(q + "dequantize_per_tensor.tensor", x, torch.tensor(0.1), torch.tensor(3), least, most, dtype, tolerance=1e-6)
        c.call(q + "choose_qparams.tensor", draw(3, 5), least, most, 1e-6, dtype, tolerance=1e-6)
        c.call(q + "choose_qparams_symmetric.tensor", draw(3, 5), least, most, 1e-6, dtype, tolerance=1e-6)
    c.call(q + "quantize_per_tensor", torch.tensor([0.05, 0.15, 0.25, -0.05]), 0.1, 0, -128, 127, torch.int8)
    scales, points = torch.tensor([0.1, 0.2, 0.05]), torch.tensor([0, 3, -2])
    for axis, sizes in ((0, (3, 4)), (1, (2, 3, 4)), (2, (2, 2, 3))):
        c.call(q + "quantize_per_channel", draw(*sizes), scales, points, axis, -128, 127, torch.int8)
        x = (draw(*sizes) * 20).to(torch.int8)
        c.call(q + "dequantize_per_channel", x, scales, points, axis, -128, 127, torch.int8, tolerance=1e-6)
        c.call(q + "dequantize_per_channel", x, scales, None, axis, -128, 127, torch.int8, tolerance=1e-6)
        c.call(q + "fake_quant_per_channel", draw(*sizes, grad=True), scales, points, axis, -10, 10, grads=True, tolerance=1e-6)
    tokens = draw(2, 3, 8)
    c.call(q + "choose_qparams_per_token", tokens, torch.int8, tolerance=1e-6)
    c.call(q + "choose_qparams_per_token_asymmetric", tokens, torch.int8, tolerance=1e-6)
    by_token = torch.tensor([0.1, 0.2, 0.05, 0.1, 0.3, 0.02]).reshape(2, 3, 1)
    points = torch.tensor([0, 3, -2, 1, 0, 5]).reshape(2, 3, 1)
    c.call(q + "quantize_per_token", tokens, by_token, points, -128, 127, torch.int8)
    c.call(q + "dequantize_per_token", (tokens * 20).to(torch.int8), by_token.double(), points, -128, 127, torch.int8, torch.float32, tolerance=1e-6)
    groups = torch.tensor([0.1, 0.2, 0.05, 0.1]).reshape(2, 2)
    points = torch.tensor([0, 3, -2, 1]).reshape(2, 2)
    c.call(q + "quantize_per_channel_group", draw(2, 8), groups, points, -8, 7, torch.int8, 4)
    c.call(q + "dequantize_per_channel_group", torch.arange(-8, 8, dtype=torch.int8).reshape(2, 8), groups, points, -8, 7, torch.int8, 4, torch.float32,
           tolerance=1e-6)
    c.call(q + "dequantize_per_channel_group", torch.arange(-8, 8, dtype=torch.int8).reshape(2, 8), groups, None, -8, 7, torch.int8, 4, torch.float32,
           tolerance=1e-6)


def products(c):
    torch.manual_seed(4)
    small = torch.randint(-128, 128, (20, 8), dtype=torch.int8)
    c.call("aten::_int_mm", small, torch.randint(-128, 128, (8, 16), dtype=torch.int8))
    for dtype, tolerance in ((torch.float32, 1e-5), (torch.bfloat16, 2e-2), (torch.float16, 2e-3)):
        c.call("aten::_weight_int8pack_mm", draw(4, 32, dtype=dtype), torch.randint(-128, 128, (16, 32), dtype=torch.int8), draw(16, dtype=dtype) / 50,
               tolerance=tolerance)
    four = torch.randint(0, 256, (16, 32), dtype=torch.uint8)
    rows = draw(3, 64)
    packed = torch.ops.aten._dyn_quant_pack_4bit_weight(four, draw(16).abs() / 10, None, 64, 64, 16)
    c.call("aten::_dyn_quant_matmul_4bit", rows, packed, 64, 64, 16, tolerance=1e-5)
    packed = torch.ops.aten._dyn_quant_pack_4bit_weight(four, draw(32).abs() / 10, None, 32, 64, 16)
    c.call("aten::_dyn_quant_matmul_4bit", rows, packed, 32, 64, 16, tolerance=1e-5)
    weight = torch.randint(0, 16, (80, 32), dtype=torch.int32)
    c.call("aten::_convert_weight_to_int4pack_for_cpu", weight, 2)  # as PyTorch packs with AVX2: run this there
    packed = torch.ops.aten._convert_weight_to_int4pack_for_cpu(weight, 2)
    for dtype, tolerance in ((torch.float32, 1e-5), (torch.bfloat16, 2e-2)):
        c.call("aten::_weight_int4pack_mm_for_cpu", draw(3, 32, dtype=dtype), packed, 32, draw(1, 80, 2, dtype=dtype), tolerance=tolerance)
    ends = torch.tensor([2, 2, 8], dtype=torch.int32)
    for a, b in (((8, 16), (3, 16, 8)), ((3, 8, 16), (16, 8)), ((8, 8), (8, 8))):
        c.call("aten::_grouped_mm", draw(*a, dtype=torch.bfloat16), draw(*b, dtype=torch.bfloat16), ends, tolerance=2e-2)
    c.call("aten::_grouped_mm", draw(3, 8, 16, dtype=torch.bfloat16), draw(3, 16, 8, dtype=torch.bfloat16), tolerance=2e-2)


def composed(c):
    x, w, b = draw(6, 4, grad=True), draw(5, 4, grad=True), draw(5, grad=True)
    target = torch.tensor([0, 4, -100, 2, 1, 3])
    for bias in (None, b):
        for weight in (None, draw(5).abs()):
            c.call("torch_nn::_linear_cross_entropy_batch_chunked_no_reduction", x, w, target, bias, weight, -100, 2, "accurate", torch.float32, grads=True,
                   tolerance=1e-5)
            for reduction in ("mean", "sum"):
                c.call("torch_nn::_linear_cross_entropy_batch_chunked", x.detach(), w.detach(), target, None if bias is None else bias.detach(), weight, reduction,
                       -100, 0.0, 2, "accurate", torch.float32, True, True, True, bias is not None, tolerance=1e-5)
    for dtype, tolerance in ((torch.float32, 1e-5), (torch.float64, 1e-9), (torch.bfloat16, 2e-2)):
        c.call("aten::_fused_rms_norm", draw(2, 3, 8, dtype=dtype), [8], draw(8, dtype=dtype), None, tolerance=tolerance)
        c.call("aten::_fused_rms_norm", draw(2, 3, 8, dtype=dtype), [3, 8], None, 0.1, tolerance=tolerance)
    q, k, v = draw(2, 2, 5, 4), draw(2, 2, 7, 4, seed=1), draw(2, 2, 7, 4, seed=2)
    for causal, mask, scale in ((False, None, None), (True, None, 0.3), (False, draw(5, 7), None)):
        out, lse = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(q, k, v, 0.0, causal, attn_mask=mask, scale=scale)
        c.call("aten::_scaled_dot_product_flash_attention_for_cpu_backward", draw(2, 2, 5, 4, seed=3), q, k, v, out, lse, 0.0, causal, mask, scale, tolerance=1e-5)
    c.call("aten::_unsafe_index.Tensor", draw(3, 4, grad=True), [torch.tensor([0, 2]), None], grads=True, tolerance=1e-6)
    c.call("aten::_prelu_kernel", draw(3, 4, grad=True), torch.tensor([0.25], requires_grad=True), grads=True, tolerance=1e-6)
    c.call("aten::_is_all_true", torch.tensor([True, False]))
    c.call("aten::_is_any_true", torch.tensor([True, False]))
    c.call("aten::masked_scatter_backward", draw(2, 3), torch.tensor([True, False, True]), [2, 3])
    c.call("aten::squeeze_copy.dims", draw(1, 3, 1), [0, 2])


def searched(c):
    rows = torch.stack([torch.sin(torch.arange(16) * 1.7) * torch.where(torch.arange(16) % 5 == 0, 3.0, 1.0),
                        torch.cos(torch.arange(16.0) ** 2), torch.full((16,), 0.5)])
    for bits in (4, 2):
        for bins, ratio in ((200, 0.16), (50, 0.5), (1, 1.0)):
            c.call(f"quantized::embedding_bag_{bits}bit_prepack", rows, True, bins, ratio)
            limits = torch.tensor([[-1.0, 1.0]] * 3)
            c.call(f"quantized::embedding_bag_{bits}bit_prepack_with_rowwise_min_max", rows, limits, True, bins, ratio)
    for row in rows:
        for bins, ratio, bits in ((200, 0.16, 8), (100, 0.5, 4), (10, 0.0, 2)):
            c.call("aten::choose_qparams_optimized", row.contiguous(), 16, bins, ratio, bits)
    c.call("aten::choose_qparams_optimized", rows[0].contiguous(), 5, 100, 0.16, 4)


def add(c):
    imitated(c)
    searched(c)
    observed(c)
    decomposed(c)
    products(c)
    composed(c)
