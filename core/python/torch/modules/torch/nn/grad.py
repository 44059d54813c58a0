# SPDX-License-Identifier: Apache-2.0
# Gradients of convolutions by their sizes.
import torch


def _of(function, shape, other, is_input, grad_output, stride, padding, dilation, groups):
    with torch.enable_grad():
        made = torch.zeros(shape, dtype=grad_output.dtype, requires_grad=True)
        out = function(made, other, None, stride, padding, dilation, groups) if is_input else function(other, made, None, stride, padding,
                                                                                                       dilation, groups)
        return torch.autograd.grad(out, made, grad_output)[0]


def conv1d_input(input_size, weight, grad_output, stride=1, padding=0, dilation=1, groups=1):
    return _of(torch.nn.functional.conv1d, input_size, weight, True, grad_output, stride, padding, dilation, groups)


def conv1d_weight(input, weight_size, grad_output, stride=1, padding=0, dilation=1, groups=1):
    return _of(torch.nn.functional.conv1d, weight_size, input, False, grad_output, stride, padding, dilation, groups)


def conv2d_input(input_size, weight, grad_output, stride=1, padding=0, dilation=1, groups=1):
    return _of(torch.nn.functional.conv2d, input_size, weight, True, grad_output, stride, padding, dilation, groups)


def conv2d_weight(input, weight_size, grad_output, stride=1, padding=0, dilation=1, groups=1):
    return _of(torch.nn.functional.conv2d, weight_size, input, False, grad_output, stride, padding, dilation, groups)


def conv3d_input(input_size, weight, grad_output, stride=1, padding=0, dilation=1, groups=1):
    return _of(torch.nn.functional.conv3d, input_size, weight, True, grad_output, stride, padding, dilation, groups)


def conv3d_weight(input, weight_size, grad_output, stride=1, padding=0, dilation=1, groups=1):
    return _of(torch.nn.functional.conv3d, weight_size, input, False, grad_output, stride, padding, dilation, groups)
