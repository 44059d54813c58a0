# SPDX-License-Identifier: Apache-2.0
from einops import EinopsError, ParsedExpression, rearrange, reduce, _ellipsis
import math
import torch
from torch import nn


class Rearrange(nn.Module):
    def __init__(self, pattern, **axes_lengths):
        super().__init__()
        self.pattern = pattern
        self.axes_lengths = axes_lengths

    def forward(self, input):
        return rearrange(input, self.pattern, **self.axes_lengths)

    def __repr__(self):
        params = repr(self.pattern)
        for axis, length in self.axes_lengths.items():
            params += f', {axis}={length}'
        return f'{self.__class__.__name__}({params})'


class Reduce(nn.Module):
    def __init__(self, pattern, reduction, **axes_lengths):
        super().__init__()
        self.pattern = pattern
        self.reduction = reduction
        self.axes_lengths = axes_lengths

    def forward(self, input):
        return reduce(input, self.pattern, self.reduction, **self.axes_lengths)

    def __repr__(self):
        params = f'{self.pattern!r}, {self.reduction!r}'
        for axis, length in self.axes_lengths.items():
            params += f', {axis}={length}'
        return f'{self.__class__.__name__}({params})'


def _flat_pattern(expression):
    return ' '.join(['...' if axis == _ellipsis else axis for axis in expression.flat_axes()])


def _require(axes, message):
    if axes:
        raise EinopsError(message.format(axes))


class EinMix(nn.Module):
    """einsum with a weight that the layer owns, rearranged before and after where axes are composed."""

    def __init__(self, pattern, weight_shape, bias_shape=None, **axes_lengths):
        super().__init__()
        self.pattern = pattern
        self.weight_shape = weight_shape
        self.bias_shape = bias_shape
        self.axes_lengths = axes_lengths
        left_text, right_text = pattern.split('->')
        left, right, weight = ParsedExpression(left_text), ParsedExpression(right_text), ParsedExpression(weight_shape)
        self._check(left, right, weight)
        lengths_before = {name: length for name, length in axes_lengths.items() if name in left.identifiers}
        self.pre_rearrange = self.post_rearrange = None
        if any(len(group) != 1 for group in left.composition):
            self.pre_rearrange = Rearrange(f'{left_text}-> {_flat_pattern(left)}', **lengths_before)
        if any(len(group) != 1 for group in right.composition) or right.has_ellipsis_parenthesized:
            self.post_rearrange = Rearrange(f'{_flat_pattern(right)} ->{right_text}')
        shape = [axes_lengths[axis] for axis in weight.flat_axes()]
        fan_in = math.prod([axes_lengths[axis] for axis in weight.flat_axes() if axis not in right.identifiers])
        weight_bound = (3 / fan_in) ** 0.5
        bias_bound = (1 / fan_in) ** 0.5
        self.weight = nn.Parameter(torch.zeros(shape).uniform_(-weight_bound, weight_bound), requires_grad=True)
        if bias_shape is not None:
            bias_shape = self._shape_of_bias(right, ParsedExpression(bias_shape), axes_lengths)
            self.bias = nn.Parameter(torch.zeros(bias_shape).uniform_(-bias_bound, bias_bound), requires_grad=True)
        else:
            self.bias = None
        letters = {}
        for i, name in enumerate(sorted((left.identifiers | right.identifiers | weight.identifiers) - {_ellipsis})):
            letters[name] = 'abcdefghijklmnopqrstuvwxyz'[i]
        letters[_ellipsis] = '...'
        sides = [''.join([letters[axis] for axis in side.flat_axes()]) for side in (left, weight, right)]
        self.einsum_pattern = '{},{}->{}'.format(*sides)

    def _check(self, left, right, weight):
        _require(right.identifiers - left.identifiers - weight.identifiers,
                 'Unrecognized identifiers on the right side of EinMix {}')
        if weight.has_ellipsis:
            raise EinopsError('Ellipsis is not supported in weight, as its shape should be fully specified')
        if left.has_ellipsis != right.has_ellipsis:
            raise EinopsError(f'Ellipsis in EinMix should be on both sides, {self.pattern}')
        if left.has_numbers or right.has_numbers or weight.has_numbers:
            raise EinopsError('Anonymous axes (numbers) are not allowed in EinMix')
        if '(' in self.weight_shape or ')' in self.weight_shape:
            raise EinopsError(f'Parenthesis is not allowed in weight shape: {self.weight_shape}')
        for axis in weight.identifiers:
            if axis not in self.axes_lengths:
                raise EinopsError(f'Dimension {axis} of weight should be specified')
        _require(set(self.axes_lengths) - left.identifiers - weight.identifiers, 'Axes {} are not used in pattern')
        _require(weight.identifiers - left.identifiers - right.identifiers, 'Weight axes {} are redundant')

    @staticmethod
    def _shape_of_bias(right, bias, axes_lengths):
        _require(bias.identifiers - right.identifiers, 'Bias axes {} not present in output')
        _require(bias.identifiers - set(axes_lengths), 'Sizes not provided for bias axes {}')
        shape = []
        has_size = False
        for axis in right.flat_axes():
            if axis == _ellipsis:
                if has_size:
                    raise EinopsError('all bias dimensions should go after ellipsis in the output')
            elif axis in bias.identifiers:
                shape.append(axes_lengths[axis])
                has_size = True
            else:
                shape.append(1)
        return shape

    def forward(self, input):
        if self.pre_rearrange is not None:
            input = self.pre_rearrange(input)
        result = torch.einsum(self.einsum_pattern, input, self.weight)
        if self.bias is not None:
            result = result + self.bias
        if self.post_rearrange is not None:
            result = self.post_rearrange(result)
        return result

    def __repr__(self):
        params = f"{self.pattern!r}, '{self.weight_shape}'"
        if self.bias_shape is not None:
            params += f", '{self.bias_shape}'"
        for axis, length in self.axes_lengths.items():
            params += f', {axis}={length}'
        return f'{self.__class__.__name__}({params})'
