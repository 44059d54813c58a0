# SPDX-License-Identifier: Apache-2.0
# einops 0.8: rearrange, reduce, repeat, einsum, pack, unpack, for tensors and arrays.
import functools
import math
import torch


class EinopsError(RuntimeError):
    pass


_ellipsis = '…'


class _Expression:
    """One side of a pattern: a list of groups, each a list of axes (names, or ints for lengths), or the ellipsis."""

    def __init__(self, text, allows_underscore=False):
        self.has_ellipsis = '...' in text or _ellipsis in text
        self.has_ellipsis_parenthesized = False
        if '.' in text:
            if '...' not in text:
                raise EinopsError('Expression may contain dots only inside ellipsis (...)')
            if text.count('...') != 1 or text.count('.') != 3:
                raise EinopsError('Expression may contain dots only inside ellipsis (...); only one ellipsis for tensor ')
            text = text.replace('...', _ellipsis)
        self.composition = []
        self.identifiers = set()
        self.has_numbers = False
        group = None
        for token in text.replace('(', ' ( ').replace(')', ' ) ').split():
            if token == '(':
                if group is not None:
                    raise EinopsError('Axis composition is one-level (brackets inside brackets not allowed)')
                group = []
                continue
            if token == ')':
                if group is None:
                    raise EinopsError('Brackets are not balanced')
                self.composition.append(group)
                group = None
                continue
            axis = self._axis(token, allows_underscore)
            if axis == _ellipsis and group is None:
                self.composition.append(_ellipsis)
                continue
            if axis == _ellipsis:
                self.has_ellipsis_parenthesized = True
            if group is not None:
                if axis != 1:
                    group.append(axis)
            else:
                self.composition.append([] if axis == 1 else [axis])
        if group is not None:
            raise EinopsError(f'Imbalanced parentheses in expression: "{text}"')

    def _axis(self, token, allows_underscore):
        if token in self.identifiers and token != '_':
            raise EinopsError(f'Indexing expression contains duplicate dimension "{token}"')
        if token == _ellipsis:
            self.identifiers.add(token)
            return token
        if token.isdecimal():
            length = int(token)
            if length == 0:
                raise EinopsError('Anonymous axis should have positive length, not 0')
            self.has_numbers = self.has_numbers or length > 1
            return length
        if not token.isidentifier():
            raise EinopsError(f'Invalid axis identifier: {token}\nnot a valid python identifier')
        if token == '_' and allows_underscore:
            return token
        if token[0] == '_' or token[-1] == '_':
            raise EinopsError(f'Invalid axis identifier: {token}\naxis name should should not start or end with underscore')
        self.identifiers.add(token)
        return token

    def flat_axes(self):
        return [axis for group in self.composition for axis in ([group] if group == _ellipsis else group)]


ParsedExpression = _Expression


class _Recipe:
    """A pattern for tensors of one rank: what is done to a shape."""

    def __init__(self, pattern, operation, names, ndim):
        if pattern.count('->') != 1:
            raise EinopsError(f'Pattern should have exactly one "->", not {pattern!r}')
        left_text, right_text = pattern.split('->')
        left = _Expression(left_text)
        right = _Expression(right_text)
        self._check(left, right, operation, names)
        if left.has_ellipsis:
            count = ndim - (len(left.composition) - 1)
            if len(left.composition) - 1 > ndim:
                raise EinopsError(f'Wrong shape: expected >={len(left.composition) - 1} dims. Received {ndim}-dim tensor.')
            if left.has_ellipsis_parenthesized:
                raise EinopsError('Ellipsis inside parenthesis in the left part is not allowed')
        else:
            count = 0
            if ndim != len(left.composition):
                raise EinopsError(f'Wrong shape: expected {len(left.composition)} dims. Received {ndim}-dim tensor.')
        expanded = [(_ellipsis, i) for i in range(count)]
        self.inputs = []  # of each dim of the input: its axes
        for group in left.composition:
            if group == _ellipsis:
                self.inputs.extend([axis] for axis in expanded)
            else:
                self.inputs.append([self._named(axis) for axis in group])
        self.outputs = []
        for group in right.composition:
            if group == _ellipsis:
                self.outputs.extend([axis] for axis in expanded)
            else:
                self.outputs.append([each for axis in group for each in (expanded if axis == _ellipsis else [self._named(axis)])])
        self.axes = [axis for group in self.inputs for axis in group]
        wanted = [axis for group in self.outputs for axis in group]
        self.kept = [axis for axis in wanted if axis in self.axes]
        self.reduced = [axis for axis in self.axes if axis not in wanted]
        self.added = [(i, axis) for i, axis in enumerate(wanted) if axis not in self.axes]
        self.order = [self.axes.index(axis) for axis in self.kept + self.reduced]
        self.is_whole = all(len(group) == 1 for group in self.inputs)
        self.is_flat = all(len(group) == 1 for group in self.outputs)

    @staticmethod
    def _named(axis):
        # Each number is an axis of its own.
        return _Number(axis) if isinstance(axis, int) else axis

    @staticmethod
    def _check(left, right, operation, names):
        if not left.has_ellipsis and right.has_ellipsis:
            raise EinopsError(f'Ellipsis found in right side, but not left side of a pattern')
        if operation == 'rearrange':
            if left.has_numbers or right.has_numbers:
                raise EinopsError('Non-unitary anonymous axes are not supported in rearrange (exception is length 1)')
            difference = left.identifiers ^ right.identifiers
            if difference:
                raise EinopsError(f'Identifiers only on one side of expression (should be on both): {difference}')
        elif operation == 'repeat':
            difference = left.identifiers - right.identifiers
            if difference:
                raise EinopsError(f'Unexpected identifiers on the left side of repeat: {difference}')
            sized = {name for name in names}
            missing = {axis for axis in right.identifiers - left.identifiers if axis not in sized and axis != _ellipsis}
            if missing:
                raise EinopsError(f'Specify sizes for new axes in repeat: {missing}')
        else:
            difference = right.identifiers - left.identifiers
            if difference:
                raise EinopsError(f'Unexpected identifiers on the right side of reduce {operation}: {difference}')
        for name in names:
            if not name.isidentifier() or name[0] == '_' or name[-1] == '_':
                raise EinopsError('Invalid name for an axis', name)
            if name not in left.identifiers and name not in right.identifiers:
                raise EinopsError(f'Axis {name} is not used in transform')

    def lengths(self, shape, sizes):
        known = dict(sizes)
        for group, length in zip(self.inputs, shape):
            product = 1
            unknown = None
            for axis in group:
                if isinstance(axis, _Number):
                    product *= axis.length
                elif axis in known:
                    product *= known[axis]
                elif unknown is None:
                    unknown = axis
                else:
                    raise EinopsError(f'Could not infer sizes for {[each for each in group if each not in known]}')
            if unknown is None:
                if product != length:
                    raise EinopsError(f'Shape mismatch, {length} != {product}')
            else:
                if product == 0 or length % product != 0:
                    raise EinopsError(f"Shape mismatch, can't divide axis of length {length} in chunks of {product}")
                known[unknown] = length // product
        return known

    def apply(self, x, operation, sizes):
        lengths = self.lengths(tuple(x.shape), sizes)

        def length_of(axis):
            return axis.length if isinstance(axis, _Number) else lengths[axis]

        if not self.is_whole:
            x = x.reshape([length_of(axis) for axis in self.axes])
        if self.order != list(range(len(self.order))):
            x = x.permute(self.order)
        if self.reduced:
            x = _reduced(x, operation, tuple(range(len(self.kept), len(self.order))))
        if self.added:
            repeats = [1] * (len(self.kept) + len(self.added))
            for place, axis in self.added:
                x = x.unsqueeze(place)
                repeats[place] = length_of(axis)
            x = x.expand([length if count == 1 else count for length, count in zip(x.shape, repeats)])
        if not self.is_flat:
            x = x.reshape([math.prod([length_of(axis) for axis in group]) for group in self.outputs])
        return x


class _Number:
    def __init__(self, length):
        self.length = length


def _reduced(x, operation, axes):
    if callable(operation):
        return operation(x, axes)
    if operation == 'mean' and not (x.is_floating_point() or x.is_complex()):
        raise NotImplementedError('reduce_mean is not available for non-floating tensors')
    if operation == 'min':
        return x.amin(dim=axes)
    if operation == 'max':
        return x.amax(dim=axes)
    if operation == 'sum':
        return x.sum(dim=axes)
    if operation == 'mean':
        return x.mean(dim=axes)
    if operation in ('any', 'all', 'prod'):
        for axis in reversed(axes):
            x = getattr(x, operation)(dim=axis)
        return x
    raise EinopsError(f"Unknown reduction {operation}. Expect one of ('min', 'max', 'sum', 'mean', 'prod', 'any', 'all').")


@functools.lru_cache(1024)
def _recipe(pattern, operation, names, ndim):
    return _Recipe(pattern, operation, names, ndim)


def _take(tensor):
    """The tensor, and what turns a tensor into what was given."""
    if isinstance(tensor, torch.Tensor):
        return tensor, lambda x: x
    if isinstance(tensor, (list, tuple)):
        if len(tensor) == 0:
            raise TypeError("Rearrange/Reduce/Repeat can't be applied to an empty list")
        taken = [_take(each) for each in tensor]
        return torch.stack([each for each, _ in taken]), taken[0][1]
    if hasattr(tensor, '_tensor'):
        return tensor._tensor, type(tensor)._of
    raise RuntimeError(f'Tensor type unknown to einops {type(tensor)}')


def reduce(tensor, pattern, reduction, **axes_lengths):
    x, give = _take(tensor)
    try:
        operation = reduction if isinstance(reduction, str) else 'reduce'
        recipe = _recipe(pattern, operation, tuple(axes_lengths), x.dim())
        return give(recipe.apply(x, reduction, axes_lengths))
    except EinopsError as error:
        message = f' Error while processing {reduction}-reduction pattern "{pattern}".'
        message += f'\n Input tensor shape: {tuple(x.shape)}. '
        message += f'Additional info: {axes_lengths}.'
        raise EinopsError(message + f'\n {error}')


def rearrange(tensor, pattern, **axes_lengths):
    return reduce(tensor, pattern, 'rearrange', **axes_lengths)


def repeat(tensor, pattern, **axes_lengths):
    return reduce(tensor, pattern, 'repeat', **axes_lengths)


def parse_shape(x, pattern):
    expression = _Expression(pattern, True)
    shape = list(x.shape)
    if expression.has_ellipsis:
        place = expression.composition.index(_ellipsis)
        rest = len(expression.composition) - 1 - place
        groups = expression.composition[:place] + expression.composition[place + 1:]
        if len(shape) < len(groups):
            raise RuntimeError(f"Can't parse shape with this number of dimensions: {pattern} {tuple(shape)}")
        shape = shape[:place] + (shape[-rest:] if rest else [])
    else:
        groups = expression.composition
    if len(groups) != len(shape):
        raise RuntimeError(f"Can't parse shape with different number of dimensions: {pattern} {tuple(x.shape)}")
    result = {}
    for group, length in zip(groups, shape):
        if len(group) == 0:
            if length != 1:
                raise RuntimeError(f'Length of anonymous axis does not match: {pattern} {tuple(x.shape)}')
        elif isinstance(group[0], int):
            if group[0] != length:
                raise RuntimeError(f'Length of anonymous axis does not match: {pattern} {tuple(x.shape)}')
        elif group[0] != '_':
            result[group[0]] = length
    return result


@functools.lru_cache(256)
def _einsum_equation(pattern):
    if '->' not in pattern:
        raise ValueError('Einsum pattern must contain right-hand side.')
    lefts, right = pattern.split('->')
    letters = {}

    def written(text):
        expression = _Expression(text, True)
        out = ''
        for group in expression.composition:
            if group == _ellipsis:
                out += '...'
                continue
            if len(group) == 0:
                raise NotImplementedError('Singleton () axes are not yet supported in einsum.')
            if len(group) > 1:
                raise NotImplementedError('Shape rearrangement is not yet supported in einsum.')
            axis = group[0]
            if isinstance(axis, int):
                raise NotImplementedError('Anonymous axes are not yet supported in einsum.')
            if axis not in letters:
                if len(letters) == 52:
                    raise RuntimeError('Too many axes in einsum.')
                letters[axis] = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'[len(letters)]
            out += letters[axis]
        return out

    return ','.join([written(text) for text in lefts.split(',')]) + '->' + written(right)


def einsum(*tensors_and_pattern):
    if len(tensors_and_pattern) <= 1:
        raise ValueError('`einops.einsum` takes at minimum two arguments: the tensors (at least one), followed by the pattern.')
    pattern = tensors_and_pattern[-1]
    if not isinstance(pattern, str):
        raise ValueError('The last argument passed to `einops.einsum` must be a string, representing the einsum pattern.')
    taken = [_take(tensor) for tensor in tensors_and_pattern[:-1]]
    return taken[0][1](torch.einsum(_einsum_equation(pattern), *[x for x, _ in taken]))


@functools.lru_cache(256)
def _packing(pattern, name):
    axes = pattern.split()
    if len(axes) != len(set(axes)):
        raise EinopsError(f'Duplicates in axes names in {name}(..., "{pattern}")')
    if '*' not in axes:
        raise EinopsError(f'No *-axis in {name}(..., "{pattern}")')
    for axis in axes:
        if axis != '*' and not axis.isidentifier():
            raise EinopsError(f'Invalid axis name {axis} in {name}(..., "{pattern}")')
    before = axes.index('*')
    return before, len(axes) - before - 1


def pack(tensors, pattern):
    before, after = _packing(pattern, 'pack')
    taken = [_take(tensor) for tensor in tensors]
    flat = []
    shapes = []
    for i, (x, _) in enumerate(taken):
        shape = x.shape
        if len(shape) < before + after:
            raise EinopsError(f'packed tensor #{i} (enumeration starts with 0) has shape {shape}, '
                              f'while pattern {pattern} assumes at least {before + after} axes')
        end = len(shape) - after
        shapes.append(shape[before:end])
        flat.append(x.reshape((*shape[:before], -1, *shape[end:])))
    return taken[0][1](torch.cat(flat, dim=before)), shapes


def unpack(tensor, packed_shapes, pattern):
    before, after = _packing(pattern, 'unpack')
    x, give = _take(tensor)
    shape = x.shape
    if len(shape) != before + 1 + after:
        raise EinopsError(f'unpack(..., {pattern}) received input of wrong dim with shape {shape}')
    lengths = [-1 if -1 in each else math.prod(each) for each in packed_shapes]
    if lengths.count(-1) > 1:
        raise EinopsError(f'unpack(..., "{pattern}") received more than one -1 in {packed_shapes} and can\'t infer dimensions')
    if -1 in lengths:
        place = lengths.index(-1)
        lengths[place] = shape[before] - (sum(lengths) + 1)
    bounds = [0]
    for length in lengths:
        bounds.append(bounds[-1] + length)
    head, tail = shape[:before], shape[before + 1:]
    try:
        return [give(x.narrow(before, start, end - start).reshape((*head, *each, *tail)))
                for start, end, each in zip(bounds[:-1], bounds[1:], packed_shapes)]
    except Exception as error:
        raise EinopsError(f'Error during unpack(..., "{pattern}"): could not split axis of size {bounds[-1]} into requested '
                          f'{packed_shapes}') from error


def asnumpy(tensor):
    return tensor.detach().cpu().numpy() if isinstance(tensor, torch.Tensor) else tensor


__version__ = '0.8.1'
__all__ = ['rearrange', 'reduce', 'repeat', 'einsum', 'pack', 'unpack', 'parse_shape', 'asnumpy', 'EinopsError']
