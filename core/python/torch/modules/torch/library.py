# SPDX-License-Identifier: Apache-2.0
# Operators that a source defines: functions under torch.ops.
import torch


class _Packet:
    def __init__(self, name):
        self._name = name
        self.functions = {}
        self.default = self

    def __call__(self, *args, **kwargs):
        for key in ('CPU', 'CompositeExplicitAutograd', 'CompositeImplicitAutograd', ''):
            if key in self.functions:
                return self.functions[key](*args, **kwargs)
        raise NotImplementedError("Could not run '{}' with arguments from the 'CPU' backend: no kernel was registered".format(self._name))


class _Namespace:
    pass


def _namespace(name):
    if name not in _namespaces:
        _namespaces[name] = _Namespace()
        setattr(torch.ops, name, _namespaces[name])
    return _namespaces[name]


_namespaces = {}


def _split(qualname):
    if '::' not in qualname:
        raise ValueError("Expected `name` to be of the form `namespace::name`, got {}".format(qualname))
    return qualname.split('::', 1)


def _packet(namespace, name):
    space = _namespace(namespace)
    name = name.split('(')[0].split('.')[0].strip()
    if not hasattr(space, name):
        setattr(space, name, _Packet(namespace + '::' + name))
    return getattr(space, name)


class CustomOpDef:
    def __init__(self, namespace, name, fn):
        self._qualname = namespace + '::' + name
        self._fn = fn
        self._backward = self._setup = None
        self._function = None
        self.__name__ = name
        _packet(namespace, name).functions[''] = self

    def register_fake(self, fn):
        return fn

    def register_kernel(self, device_types, fn=None, /):
        return (lambda f: f) if fn is None else fn

    def register_vmap(self, func=None, /):
        return (lambda f: f) if func is None else func

    def register_autograd(self, backward, /, *, setup_context=None):
        self._backward = backward
        self._setup = setup_context
        fn = self._fn

        class Function(torch.autograd.Function):
            @staticmethod
            def forward(ctx, *inputs):
                output = fn(*inputs)
                if setup_context is not None:
                    setup_context(ctx, inputs, output)
                return output

            @staticmethod
            def backward(ctx, *grads):
                return backward(ctx, *grads)

        self._function = Function

    def __call__(self, *args, **kwargs):
        if self._function is not None and not kwargs:
            return self._function.apply(*args)
        return self._fn(*args, **kwargs)


def custom_op(name, fn=None, /, *, mutates_args=(), device_types=None, schema=None, tags=None):
    namespace, own = _split(name)
    if fn is None:
        return lambda function: CustomOpDef(namespace, own, function)
    return CustomOpDef(namespace, own, fn)


triton_op = custom_op


class Library:
    def __init__(self, ns, kind, dispatch_key=''):
        if kind not in ('IMPL', 'DEF', 'FRAGMENT'):
            raise ValueError("Unsupported kind: " + kind)
        self.ns = ns

    def define(self, schema, alias_analysis='', *, tags=()):
        name = schema.split('(')[0].strip()
        _packet(self.ns, name)
        return name

    def impl(self, op_name, fn, dispatch_key='', *, with_keyset=False):
        if not isinstance(op_name, str):
            op_name = op_name._name
        _packet(self.ns, op_name.split('::')[-1]).functions[dispatch_key] = fn


def define(qualname, schema, *, lib=None, tags=()):
    _packet(*_split(qualname))


def impl(qualname, types, func=None, *, lib=None):
    def register(function):
        _packet(*_split(qualname)).functions[''] = function
        return function

    return register if func is None else register(func)


def register_fake(op, func=None, /, *, lib=None, _stacklevel=1):
    return (lambda function: function) if func is None else func


impl_abstract = register_kernel = register_vmap = register_fake


def register_autograd(op, backward, /, *, setup_context=None, lib=None):
    name = op if isinstance(op, str) else op._qualname
    packet = _packet(*_split(name))
    kept = packet.functions.get('')
    if not isinstance(kept, CustomOpDef):
        kept = CustomOpDef(*_split(name), packet)
    kept.register_autograd(backward, setup_context=setup_context)


def wrap_triton(kernel, /):
    return kernel
