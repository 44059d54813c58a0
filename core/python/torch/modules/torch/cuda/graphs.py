# SPDX-License-Identifier: Apache-2.0
# CUDA graphs: work is captured once, and given again as a whole.
import warnings

import _device_graphs
import _devices
import torch
from torch import _streams
from torch.utils import _pytree


def _capture_device():
    # That of the stream that was entered last, as in PyTorch; else the first.
    return _streams.entered_device('cuda') or torch.device('cuda', 0)


def is_current_stream_capturing():
    return _devices.count('cuda') > 0 and _device_graphs.is_capturing(_capture_device())


def graph_pool_handle():
    return _device_graphs.new_pool()


class _Handle:
    def __init__(self, hooks):
        self._hooks = hooks
        self.id = max(hooks, default=-1) + 1

    def remove(self):
        self._hooks.pop(self.id, None)


def _add(hooks, hook):
    handle = _Handle(hooks)
    hooks[handle.id] = hook
    return handle


class CUDAGraph:
    def __init__(self, keep_graph=False):
        _devices.require(torch.device('cuda', 0))
        self._graph = _device_graphs.Graph(keep_graph)
        self._keep_graph = keep_graph
        self._hooks = {when: {} for when in ('capture_start', 'capture_end', 'instantiate', 'replay_start', 'replay_end')}
        self._retained = {}
        self._callbacks = {}

    def _run(self, when):
        for hook in list(self._hooks[when].values()):
            hook(self)

    def capture_begin(self, pool=None, capture_error_mode='global', check_input_liveness=False):
        self._graph.begin(_capture_device(), pool, capture_error_mode)
        self._run('capture_start')

    def capture_end(self):
        self._graph.end()
        if self._graph.nodes() == 0:
            warnings.warn('The CUDA Graph is empty. This usually means that the graph was attempted to be captured on wrong '
                          'device or stream.')
        self._run('capture_end')
        if not self._keep_graph:
            self._run('instantiate')

    def instantiate(self):
        self._graph.instantiate()
        self._run('instantiate')

    def replay(self):
        if not any(self._hooks[when] for when in ('replay_start', 'replay_end')):
            self._graph.replay()
            return
        self._run('replay_start')
        try:
            self._graph.replay()
        finally:
            self._run('replay_end')

    def reset(self):
        callbacks, self._callbacks, self._retained = self._callbacks, {}, {}
        for callback in callbacks.values():
            try:
                callback()
            except Exception:
                pass
        self._graph.reset()

    def pool(self):
        return self._graph.pool()

    def enable_debug_mode(self):
        self._graph.enable_debug()

    def debug_dump(self, debug_path):
        if not (self._graph.is_debugged() or self._keep_graph):
            warnings.warn('CUDA Graphs debug not enabled, set with [graph].enable_debug_mode()')
            return
        warnings.warn('DEBUG: calling debug_dump()')
        text = self._graph.dot()
        if text:
            warnings.warn(f'DEBUG: calling cudaGraphDebugDotPrint() with {debug_path}')
            with open(debug_path, 'w') as file:
                file.write(text)

    def raw_cuda_graph(self):
        return self._graph.native()

    def raw_cuda_graph_exec(self):
        return self._graph.native_instance()

    def register_generator_state(self, generator):
        warnings.warn('CUDAGraph.register_generator_state() is deprecated, and will be removed in a future PyTorch release. '
                      'It is now a no-op and can be safely removed from your code.')

    def register_capture_start_hook(self, hook):
        return _add(self._hooks['capture_start'], hook)

    def register_capture_end_hook(self, hook):
        return _add(self._hooks['capture_end'], hook)

    def register_post_instantiate_hook(self, hook):
        return _add(self._hooks['instantiate'], hook)

    def register_replay_start_hook(self, hook):
        return _add(self._hooks['replay_start'], hook)

    def register_replay_end_hook(self, hook):
        return _add(self._hooks['replay_end'], hook)

    def register_destroy_callback(self, cb, *, synchronize_before_release=False):
        return _add(self._callbacks, cb)

    def retain_object(self, obj, *, synchronize_before_release=False):
        return _add(self._retained, obj)


class graph:
    default_capture_stream = None

    def __init__(self, cuda_graph, pool=None, stream=None, capture_error_mode='global', enable_annotations=False,
                 annotation_config=None, check_input_liveness=False):
        if stream is None and graph.default_capture_stream is None:
            graph.default_capture_stream = torch.cuda.Stream()
        self.pool = () if pool is None else (pool,)
        self.capture_stream = stream if stream is not None else graph.default_capture_stream
        self.stream_ctx = torch.cuda.stream(self.capture_stream)
        self.cuda_graph = cuda_graph
        self.capture_error_mode = capture_error_mode

    def __enter__(self):
        torch.cuda.synchronize()
        torch.cuda.empty_cache()
        self.stream_ctx.__enter__()
        try:
            self.cuda_graph.capture_begin(*self.pool, capture_error_mode=self.capture_error_mode)
        except BaseException:
            self.stream_ctx.__exit__(None, None, None)
            raise

    def __exit__(self, *exc):
        try:
            self.cuda_graph.capture_end()
        finally:
            self.stream_ctx.__exit__(*exc)


# --- functions and modules as graphs

def _check_graphable(function):
    if not isinstance(function, torch.nn.Module):
        return
    if len(function._backward_hooks) or len(function._forward_hooks) or len(function._forward_pre_hooks):
        raise AssertionError('Modules must not have hooks registered at the time they are passed. However, registering hooks '
                             'on modules after passing them through make_graphed_callables is allowed.')
    if not all(b.requires_grad is False for b in function.buffers()):
        raise AssertionError('In any :class:`~torch.nn.Module` passed to :func:`~make_graphed_callables`, only parameters may '
                             'be trainable. All buffers must have ``requires_grad=False``.')


def _gradients(outputs, surface, cotangents, allow_unused):
    # Of what requires them on both sides; None where nothing does.
    with_grad = tuple(o for o in outputs if o.requires_grad)
    if not with_grad:
        return None
    return torch.autograd.grad(outputs=with_grad, inputs=tuple(i for i in surface if i.requires_grad),
                               grad_outputs=tuple(c for c in cotangents if c is not None), only_inputs=True,
                               allow_unused=allow_unused)


class Pass:
    # A call captured on its static inputs, forward and backward; surface: the inputs, then parameters.
    def __init__(self, function, args, surface, make_graph):
        self.function = function
        self.args = args
        self.surface = surface
        self.inputs = len(_pytree.tree_leaves(args))
        self.forward = make_graph()
        self.backward = make_graph()

    def capture_forward(self, capture):
        with capture(self.forward):
            made = self.function(*self.args)
        outputs, self.spec = _pytree.tree_flatten(made)
        self.outputs = tuple(outputs)

    def capture_backward(self, capture, allow_unused=False):
        self.cotangents = tuple(torch.empty_like(o) if o.requires_grad else None for o in self.outputs)
        grads = None
        if any(c is not None for c in self.cotangents):
            with capture(self.backward):
                grads = _gradients(self.outputs, self.surface, self.cotangents, allow_unused)
        grads = iter(grads or ())
        self.grads = tuple(next(grads, None) if i.requires_grad else None for i in self.surface)

    def warm_up(self, allow_unused=False):
        outputs = _pytree.tree_leaves(self.function(*self.args))
        _gradients(outputs, self.surface, [torch.empty_like(o) if o.requires_grad else None for o in outputs], allow_unused)

    def load(self, tensors):
        for static, given in zip(self.surface[:self.inputs], tensors):
            if static.data_ptr() != given.data_ptr():
                static.copy_(given)


class _Replayed(torch.autograd.Function):
    # finish: what a caller is given of static memory.
    @staticmethod
    def forward(ctx, captured, finish, *inputs):
        ctx.captured, ctx.finish = captured, finish
        captured.load(inputs)
        captured.forward.replay()
        return tuple(finish(o) for o in captured.outputs)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, *grads):
        captured = ctx.captured
        for static, given in zip(captured.cotangents, grads):
            if static is not None and given is None:
                static.zero_()
            elif static is not None and static.data_ptr() != given.data_ptr():
                static.copy_(given)
        captured.backward.replay()
        return (None, None) + tuple(g if g is None else ctx.finish(g) for g in captured.grads)


def _detached(t):
    return t.detach()


def replay_pass(captured, args, finish=_detached):
    leaves = _pytree.tree_leaves(args)
    outputs = _Replayed.apply(captured, finish, *(tuple(leaves) + tuple(captured.surface[captured.inputs:])))
    return _pytree.tree_unflatten(outputs if isinstance(outputs, tuple) else (outputs,), captured.spec)


def make_graphed_callables(callables, sample_args, num_warmup_iters=3, allow_unused_input=False, pool=None,
                           capture_error_mode='global', enable_annotations=False):
    if torch.is_autocast_enabled() and torch.is_autocast_cache_enabled():
        raise RuntimeError('make_graphed_callables does not support the autocast caching. Please set `cache_enabled=False`.')
    is_one = not isinstance(callables, tuple)
    if is_one:
        callables, sample_args = (callables,), (sample_args,)
    passes = []
    for function, args in zip(callables, sample_args):
        _check_graphable(function)
        leaves = tuple(_pytree.tree_leaves(args))
        if not all(isinstance(leaf, torch.Tensor) for leaf in leaves):
            raise AssertionError('In the beta API, sample_args for each callable must contain only Tensors. Other types are not '
                                 'allowed.')
        parameters = tuple(function.parameters()) if isinstance(function, torch.nn.Module) else ()
        passes.append(Pass(function, args, leaves + parameters, CUDAGraph))
    pool = graph_pool_handle() if pool is None else pool
    stream = torch.cuda.Stream()

    def capture(cuda_graph):
        return graph(cuda_graph, pool=pool, stream=stream, capture_error_mode=capture_error_mode)

    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        for each in passes:
            for _ in range(num_warmup_iters):
                each.warm_up(allow_unused_input)
    torch.cuda.synchronize()
    # In the order in which they will run: their memory is one pool.
    for each in passes:
        each.capture_forward(capture)
    for each in reversed(passes):
        each.capture_backward(capture, allow_unused_input)
    made = tuple(_graphed(function, each) for function, each in zip(callables, passes))
    return made[0] if is_one else made


def _graphed(function, captured):
    if not isinstance(function, torch.nn.Module):
        return lambda *args: function(*args) if _device_graphs.is_watched() else replay_pass(captured, args)
    original, is_training = function.forward, function.training
    captured.function = original

    def forward(*args, **kwargs):
        # As it was captured, unless each operator is to be seen.
        if function.training != is_training or _device_graphs.is_watched():
            return original(*args, **kwargs)
        return replay_pass(captured, args)

    function.forward = forward
    return function
