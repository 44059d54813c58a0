# SPDX-License-Identifier: Apache-2.0
# Graphs of a module, traced by running it on proxies, and modules that run such a graph.
import builtins
import keyword
import math
import operator
import torch
from torch import nn
from torch.utils._pytree import tree_map


def map_arg(a, fn):
    return map_aggregate(a, lambda x: fn(x) if isinstance(x, Node) else x)


def map_aggregate(a, fn):
    if isinstance(a, tuple):
        made = [map_aggregate(each, fn) for each in a]
        return type(a)(*made) if hasattr(a, '_fields') else tuple(made)
    if isinstance(a, list):
        return [map_aggregate(each, fn) for each in a]
    if isinstance(a, dict):
        return {key: map_aggregate(value, fn) for key, value in a.items()}
    if isinstance(a, slice):
        return slice(map_aggregate(a.start, fn), map_aggregate(a.stop, fn), map_aggregate(a.step, fn))
    return fn(a)


class Node:
    def __init__(self, graph, name, op, target, args, kwargs, return_type=None):
        self.graph = graph
        self.name = name
        self.op = op
        self.target = target
        self.type = return_type
        self.users = {}
        self.meta = {}
        self._args = self._kwargs = None
        self._set(args, kwargs)

    def _set(self, args, kwargs):
        for node in self.all_input_nodes if self._args is not None else []:
            node.users.pop(self, None)
        self._args, self._kwargs = args, kwargs
        for node in self.all_input_nodes:
            node.users.setdefault(self)

    args = property(lambda self: self._args, lambda self, args: self._set(args, self._kwargs))
    kwargs = property(lambda self: self._kwargs, lambda self, kwargs: self._set(self._args, kwargs))

    @property
    def all_input_nodes(self):
        found = []
        map_arg((self._args, self._kwargs), lambda node: found.append(node) if node not in found else None)
        return found

    @property
    def next(self):
        nodes = self.graph._nodes
        return nodes[nodes.index(self) + 1]

    @property
    def prev(self):
        nodes = self.graph._nodes
        return nodes[nodes.index(self) - 1]

    def update_arg(self, idx, arg):
        args = list(self.args)
        args[idx] = arg
        self.args = tuple(args)

    def update_kwarg(self, key, arg):
        self.kwargs = {**self.kwargs, key: arg}

    def replace_input_with(self, old_input, new_input):
        self._set(map_arg(self._args, lambda n: new_input if n is old_input else n),
                  map_arg(self._kwargs, lambda n: new_input if n is old_input else n))

    def replace_all_uses_with(self, replace_with, delete_user_cb=lambda user: True):
        users = list(self.users)
        for user in users:
            user.replace_input_with(self, replace_with)
        return users

    def append(self, x):
        self.graph._nodes.remove(x)
        self.graph._nodes.insert(self.graph._nodes.index(self) + 1, x)

    def prepend(self, x):
        self.graph._nodes.remove(x)
        self.graph._nodes.insert(self.graph._nodes.index(self), x)

    def format_node(self):
        if self.op == 'placeholder':
            return f'%{self.name} : [num_users={len(self.users)}] = placeholder[target={self.target}]'
        if self.op == 'output':
            return f'return {_text(self.args[0])}'
        target = self.target if isinstance(self.target, str) else _function_name(self.target)
        tail = '' if self.op == 'get_attr' else f'(args = {_text(self.args)}, kwargs = {_text(self.kwargs)})'
        return f'%{self.name} : [num_users={len(self.users)}] = {self.op}[target={target}]{tail}'

    def __repr__(self):
        return self.name


def _text(value):
    if isinstance(value, Node):
        return f'%{value.name}'
    if isinstance(value, tuple):
        return '(' + ', '.join(_text(each) for each in value) + (',)' if len(value) == 1 else ')')
    if isinstance(value, list):
        return '[' + ', '.join(_text(each) for each in value) + ']'
    if isinstance(value, dict):
        return '{' + ', '.join(f'{key}: {_text(each)}' for key, each in value.items()) + '}'
    return repr(value)


def _function_name(function):
    name = getattr(function, '__name__', str(function))
    module = getattr(function, '__module__', None) or 'torch'
    if module in ('operator', '_operator'):
        return f'operator.{name}'
    return f'{module}.{name}' if module != 'builtins' else name


class Graph:
    def __init__(self, owning_module=None, tracer_cls=None):
        self._nodes = []
        self._names = {}
        self._insert = None
        self.owning_module = owning_module

    nodes = property(lambda self: list(self._nodes))

    def _named(self, candidate):
        text = ''.join(c if c.isalnum() or c == '_' else '_' for c in candidate).lower() if not candidate.isidentifier() else candidate
        if text and text[0].isdigit():
            text = '_' + text
        base = text or '_unnamed'
        if base not in self._names and (keyword.iskeyword(base) or hasattr(builtins, base)):
            self._names[base] = 0
        if base not in self._names:
            self._names[base] = 0
            return base
        self._names[base] += 1
        name = f'{base}_{self._names[base]}'
        self._names[name] = 0
        return name

    def _candidate(self, target):
        if isinstance(target, str):
            return target.replace('.', '_')
        return getattr(target, '__name__', 'call').strip('_')

    def create_node(self, op, target, args=None, kwargs=None, name=None, type_expr=None):
        node = Node(self, self._named(name or self._candidate(target)), op, target, args or (), kwargs or {}, type_expr)
        if self._insert is None:
            self._nodes.append(node)
        else:
            self._nodes.insert(self._insert, node)
            self._insert += 1
        return node

    def placeholder(self, name, type_expr=None, default_value=None):
        return self.create_node('placeholder', name, name=name)

    def get_attr(self, qualified_name, type_expr=None):
        return self.create_node('get_attr', qualified_name)

    def call_module(self, module_name, args=None, kwargs=None, type_expr=None):
        return self.create_node('call_module', module_name, args, kwargs)

    def call_method(self, method_name, args=None, kwargs=None, type_expr=None):
        return self.create_node('call_method', method_name, args, kwargs)

    def call_function(self, the_function, args=None, kwargs=None, type_expr=None):
        return self.create_node('call_function', the_function, args, kwargs)

    def output(self, result, type_expr=None):
        return self.create_node('output', 'output', (result,))

    def find_nodes(self, *, op, target=None, sort=True):
        return [node for node in self._nodes if node.op == op and (target is None or node.target == target)]

    class _Inserting:
        def __init__(self, graph, place):
            self.graph, self.place = graph, place

        def __enter__(self):
            self.before, self.graph._insert = self.graph._insert, self.place

        def __exit__(self, *exception):
            self.graph._insert = self.before
            return False

    def inserting_before(self, n=None):
        return Graph._Inserting(self, 0 if n is None else self._nodes.index(n))

    def inserting_after(self, n=None):
        return Graph._Inserting(self, len(self._nodes) if n is None else self._nodes.index(n) + 1)

    def erase_node(self, to_erase):
        if to_erase.users:
            raise RuntimeError(f'Tried to erase Node {to_erase} but it still had {len(to_erase.users)} users in the graph: {to_erase.users}!')
        to_erase._set((), {})
        self._nodes.remove(to_erase)

    def eliminate_dead_code(self, is_impure_node=None):
        changed = False
        for node in reversed(self.nodes):
            if node.op not in ('placeholder', 'output') and not node.users:
                self.erase_node(node)
                changed = True
        return changed

    def node_copy(self, node, arg_transform=lambda x: x):
        return self.create_node(node.op, node.target, map_arg(node.args, arg_transform), map_arg(node.kwargs, arg_transform), node.name)

    def graph_copy(self, g, val_map):
        for node in g.nodes:
            if node in val_map:
                continue
            if node.op == 'output':
                return map_arg(node.args[0], lambda n: val_map[n])
            val_map[node] = self.node_copy(node, lambda n: val_map[n])

    def lint(self):
        seen = set()
        for node in self._nodes:
            for each in node.all_input_nodes:
                if each not in seen:
                    raise RuntimeError(f'Argument {each} of Node {node} was used before it has been defined!')
            seen.add(node)

    def print_tabular(self):
        rows = [('opcode', 'name', 'target', 'args', 'kwargs')] + [
            (node.op, node.name, node.target if isinstance(node.target, str) else _function_name(node.target), repr(node.args), repr(node.kwargs))
            for node in self._nodes]
        widths = [max(len(row[i]) for row in rows) for i in range(5)]
        for i, row in enumerate(rows):
            print('  '.join(text.ljust(width) for text, width in zip(row, widths)).rstrip())
            if i == 0:
                print('  '.join('-' * width for width in widths))

    def __str__(self):
        inputs = ', '.join(f'%{node.name}' for node in self._nodes if node.op == 'placeholder')
        lines = [node.format_node() for node in self._nodes]
        return 'graph():' + ''.join('\n    ' + line for line in lines)


class TraceError(ValueError):
    pass


class Proxy:
    def __init__(self, node, tracer=None):
        self.__dict__['node'] = node
        self.__dict__['tracer'] = tracer if tracer is not None else GraphAppendingTracer(node.graph)

    def __repr__(self):
        return f'Proxy({self.node.name})'

    def __getattr__(self, k):
        if k.startswith('__') and k.endswith('__'):
            raise AttributeError(k)
        return Attribute(self, k)

    def __call__(self, *args, **kwargs):
        return self.tracer.create_proxy('call_method', '__call__', (self,) + args, kwargs)

    def __getitem__(self, key):
        return self.tracer.create_proxy('call_function', operator.getitem, (self, key), {})

    def __iter__(self):
        raise TraceError('Proxy object cannot be iterated. This can be attempted when the Proxy is used in a loop or as a *args or '
                         '**kwargs function argument.')

    def __bool__(self):
        raise TraceError('symbolically traced variables cannot be used as inputs to control flow')

    def __len__(self):
        raise RuntimeError("'len' is not supported in symbolic tracing by default. If you want this call to be recorded, please call "
                           "torch.fx.wrap('len') at module scope")

    def keys(self):
        return self.tracer.create_proxy('call_method', 'keys', (self,), {})

    __hash__ = object.__hash__

    @classmethod
    def __torch_function__(cls, orig_method, types, args=(), kwargs=None):
        tracers = []
        map_aggregate((args, kwargs or {}), lambda a: tracers.append(a.tracer) if isinstance(a, Proxy) else None)
        name = getattr(orig_method, '__name__', '')
        if isinstance(args[0] if args else None, (Proxy, torch.Tensor)) and hasattr(torch.Tensor, name) and not hasattr(torch, name):
            return tracers[0].create_proxy('call_method', name, args, kwargs or {})
        return tracers[0].create_proxy('call_function', orig_method, args, kwargs or {})


class Attribute(Proxy):
    """x.name, which is a method call where it is called, else getattr."""

    def __init__(self, root, attr):
        self.__dict__.update(root=root, attr=attr, tracer=root.tracer, _node=None)

    @property
    def node(self):
        if self._node is None:
            self.__dict__['_node'] = self.tracer.create_proxy('call_function', getattr, (self.root, self.attr), {}).node
        return self._node

    def __getattr__(self, k):
        if k == 'node':
            return Attribute.node.fget(self)
        return Proxy.__getattr__(self, k)

    def __call__(self, *args, **kwargs):
        return self.tracer.create_proxy('call_method', self.attr, (self.root,) + args, kwargs)


def _operation(name, function, reflected):
    def forward(self, *others):
        return self.tracer.create_proxy('call_function', function, (self,) + others, {})

    def backward(self, other):
        return self.tracer.create_proxy('call_function', function, (other, self), {})

    setattr(Proxy, f'__{name}__', forward)
    if reflected:
        setattr(Proxy, f'__r{name}__', backward)


for _name, _function in (('add', operator.add), ('sub', operator.sub), ('mul', operator.mul), ('truediv', operator.truediv),
                         ('floordiv', operator.floordiv), ('mod', operator.mod), ('pow', operator.pow), ('matmul', operator.matmul),
                         ('and', operator.and_), ('or', operator.or_), ('xor', operator.xor), ('lshift', operator.lshift),
                         ('rshift', operator.rshift)):
    _operation(_name, _function, True)
for _name, _function in (('eq', operator.eq), ('ne', operator.ne), ('lt', operator.lt), ('le', operator.le), ('gt', operator.gt),
                         ('ge', operator.ge), ('neg', operator.neg), ('pos', operator.pos), ('invert', operator.invert)):
    _operation(_name, _function, False)


_wrapped = {}
_active = []


def wrap(fn_or_name):
    """Calls of the function with a proxy are recorded, not followed."""
    if isinstance(fn_or_name, str):
        _wrapped[fn_or_name] = None
        return fn_or_name
    from functools import wraps

    @wraps(fn_or_name)
    def called(*args, **kwargs):
        tracers = []
        map_aggregate((args, kwargs), lambda a: tracers.append(a.tracer) if isinstance(a, Proxy) else None)
        if tracers:
            return tracers[0].create_proxy('call_function', fn_or_name, args, kwargs)
        return fn_or_name(*args, **kwargs)

    return called


class Tracer:
    def __init__(self, autowrap_modules=(math,), autowrap_functions=(), param_shapes_constant=False):
        self.graph = None

    def is_leaf_module(self, m, module_qualified_name):
        return type(m).__module__.startswith('torch.nn') and not isinstance(m, nn.Sequential)

    def path_of_module(self, mod):
        for name, module in self.root.named_modules():
            if module is mod:
                return name
        raise NameError('module is not installed as a submodule')

    def create_node(self, kind, target, args, kwargs, name=None, type_expr=None):
        return self.graph.create_node(kind, target, args, kwargs, name, type_expr)

    def proxy(self, node):
        return Proxy(node, self)

    def create_arg(self, a):
        def node_of(value):
            if isinstance(value, Proxy):
                return value.node
            if isinstance(value, torch.Tensor):
                for name, parameter in list(self.root.named_parameters()) + list(self.root.named_buffers()):
                    if parameter is value:
                        return self.create_node('get_attr', name, (), {})
                i = 0
                while hasattr(self.root, f'_tensor_constant{i}'):
                    if getattr(self.root, f'_tensor_constant{i}') is value:
                        return self.create_node('get_attr', f'_tensor_constant{i}', (), {})
                    i += 1
                setattr(self.root, f'_tensor_constant{i}', value)
                return self.create_node('get_attr', f'_tensor_constant{i}', (), {})
            return value
        return map_aggregate(a, node_of)

    def create_proxy(self, kind, target, args, kwargs, name=None, type_expr=None, proxy_factory_fn=None):
        return self.proxy(self.create_node(kind, target, self.create_arg(args), self.create_arg(kwargs), name, type_expr))

    def call_module(self, m, forward, args, kwargs):
        name = self.path_of_module(m)
        if not self.is_leaf_module(m, name):
            return forward(*args, **kwargs)
        return self.create_proxy('call_module', name, args, kwargs)

    def trace(self, root, concrete_args=None):
        import inspect
        concrete_args = concrete_args or {}
        if isinstance(root, nn.Module):
            self.root = root
            function = root.forward
        else:
            self.root = nn.Module()
            function = root
        self.graph = Graph()
        args = []
        kwargs = {}
        for name, parameter in inspect.signature(function).parameters.items():
            if name in concrete_args:
                args.append(concrete_args[name])
            elif parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                args.append(self.create_proxy('placeholder', '*' + name, (), {}))
            elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
                continue
            else:
                default = () if parameter.default is inspect.Parameter.empty else (parameter.default,)
                proxy = self.create_proxy('placeholder', name, default, {})
                if parameter.kind is inspect.Parameter.KEYWORD_ONLY:
                    kwargs[name] = proxy
                else:
                    args.append(proxy)
        intercepted = []

        def recording(module, forward):
            def call(*args, **kwargs):
                proxies = []
                map_aggregate((args, kwargs), lambda a: proxies.append(a) if isinstance(a, Proxy) else None)
                return self.call_module(module, forward, args, kwargs) if proxies else forward(*args, **kwargs)
            return call

        for module in self.root.modules():
            if module is not self.root and 'forward' not in module.__dict__:
                module.forward = recording(module, module.forward)
                intercepted.append(module)
        try:
            result = function(*args, **kwargs)
        finally:
            for module in intercepted:
                del module.forward
        self.create_node('output', 'output', (self.create_arg(result),), {})
        return self.graph


class GraphAppendingTracer(Tracer):
    """Of proxies that a program makes itself: what is done with them goes behind the graph."""

    def __init__(self, graph):
        super().__init__()
        self.graph = graph
        self.root = nn.Module()


class Interpreter:
    def __init__(self, module, garbage_collect_values=True, graph=None):
        self.module = module
        self.graph = graph or module.graph
        self.env = {}

    def run(self, *args, initial_env=None):
        self.env = dict(initial_env or {})
        self.args_iter = iter(args)
        for node in self.graph.nodes:
            if node in self.env:
                continue
            self.env[node] = self.run_node(node)
            if node.op == 'output':
                return self.env[node]

    def fetch_args_kwargs_from_env(self, n):
        return map_arg(n.args, lambda x: self.env[x]), map_arg(n.kwargs, lambda x: self.env[x])

    def run_node(self, n):
        args, kwargs = self.fetch_args_kwargs_from_env(n)
        return getattr(self, n.op)(n.target, args, kwargs)

    def placeholder(self, target, args, kwargs):
        if target.startswith('*'):
            return list(self.args_iter)
        try:
            return next(self.args_iter)
        except StopIteration:
            if args:
                return args[0]
            raise RuntimeError(f'Expected positional argument for parameter {target}, but one was not passed in!') from None

    def fetch_attr(self, target):
        value = self.module
        for part in target.split('.'):
            value = getattr(value, part)
        return value

    def get_attr(self, target, args, kwargs):
        return self.fetch_attr(target)

    def call_function(self, target, args, kwargs):
        return target(*args, **kwargs)

    def call_method(self, target, args, kwargs):
        return getattr(args[0], target)(*args[1:], **kwargs)

    def call_module(self, target, args, kwargs):
        return self.fetch_attr(target)(*args, **kwargs)

    def output(self, target, args, kwargs):
        return args[0]


class GraphModule(nn.Module):
    def __init__(self, root, graph, class_name='GraphModule'):
        super().__init__()
        self._class_name = class_name
        if isinstance(root, nn.Module):
            self.training = root.training
            for node in graph.nodes:
                if node.op in ('call_module', 'get_attr'):
                    self._copy(root, node.target)
        elif isinstance(root, dict):
            targets = []
            for node in graph.nodes:
                if node.op in ('call_module', 'get_attr'):
                    if node.target not in root:
                        raise RuntimeError(f'Node {node} referenced target {node.target} but that target was not provided in ``root``!')
                    targets.append(node.target)
            for target in sorted(dict.fromkeys(targets), key=lambda t: t.count('.')):
                self._assign(target, root[target])
        self.graph = graph

    def _copy(self, root, target):
        value = root
        for part in target.split('.'):
            value = getattr(value, part)
        self._assign(target, value)

    def _assign(self, target, value):
        *path, last = target.split('.')
        to = self
        for part in path:
            if not hasattr(to, part):
                setattr(to, part, nn.Module())
            to = getattr(to, part)
        if isinstance(value, torch.Tensor) and not isinstance(value, nn.Parameter):
            to.register_buffer(last, value)
        else:
            setattr(to, last, value)

    def _get_name(self):
        return self._class_name

    def recompile(self):
        return self

    def forward(self, *args, **kwargs):
        names = [node.target for node in self.graph.nodes if node.op == 'placeholder']
        args = list(args) + [kwargs[name] for name in names[len(args):] if name in kwargs]
        return Interpreter(self).run(*args)

    @property
    def code(self):
        inputs = ', '.join(node.target for node in self.graph.nodes if node.op == 'placeholder')
        return f'def forward(self, {inputs}):\n' + '\n'.join(f'    {node.format_node()}' for node in self.graph.nodes)

    def print_readable(self, *args, **kwargs):
        print(self.code)


class Transformer(Interpreter):
    def __init__(self, module):
        super().__init__(module)
        self.new_graph = Graph()

        class _Tracer(Tracer):
            def is_leaf_module(self, m, name):
                return True

        self.tracer = _Tracer()
        self.tracer.graph = self.new_graph
        self.tracer.root = module

    def placeholder(self, target, args, kwargs):
        return self.tracer.create_proxy('placeholder', target, args, kwargs)

    def get_attr(self, target, args, kwargs):
        return self.tracer.create_proxy('get_attr', target, args, kwargs)

    def call_module(self, target, args, kwargs):
        return self.tracer.create_proxy('call_module', target, args, kwargs)

    def call_function(self, target, args, kwargs):
        return self.tracer.create_proxy('call_function', target, args, kwargs)

    def call_method(self, target, args, kwargs):
        return self.tracer.create_proxy('call_method', target, args, kwargs)

    def transform(self):
        self.env = {}
        for node in self.graph.nodes:
            args, kwargs = self.fetch_args_kwargs_from_env(node)
            self.env[node] = getattr(self, node.op)(node.target, args, kwargs)
            if node.op == 'output':
                self.new_graph.output(self.tracer.create_arg(self.env[node]))
        return GraphModule(self.module, self.new_graph)


def symbolic_trace(root, concrete_args=None):
    tracer = Tracer()
    graph = tracer.trace(root, concrete_args)
    name = root.__class__.__name__ if isinstance(root, nn.Module) else getattr(root, '__name__', 'GraphModule')
    return GraphModule(tracer.root, graph, name)
