# SPDX-License-Identifier: Apache-2.0
class _Empty:
    pass


class _Kind:
    def __init__(self, value, name, description):
        self.value = value
        self.name = name
        self.description = description

    def __repr__(self):
        return f'<_ParameterKind.{self.name}: {self.value}>'

    def __str__(self):
        return self.name

    def __lt__(self, other):
        return self.value < other.value


class Parameter:
    empty = _Empty
    POSITIONAL_ONLY = _Kind(0, 'POSITIONAL_ONLY', 'positional-only')
    POSITIONAL_OR_KEYWORD = _Kind(1, 'POSITIONAL_OR_KEYWORD', 'positional or keyword')
    VAR_POSITIONAL = _Kind(2, 'VAR_POSITIONAL', 'variadic positional')
    KEYWORD_ONLY = _Kind(3, 'KEYWORD_ONLY', 'keyword-only')
    VAR_KEYWORD = _Kind(4, 'VAR_KEYWORD', 'variadic keyword')

    def __init__(self, name, kind, *, default=_Empty, annotation=_Empty):
        self.name = name
        self.kind = kind
        self.default = default
        self.annotation = annotation

    def replace(self, **changes):
        return Parameter(changes.get('name', self.name), changes.get('kind', self.kind), default=changes.get('default', self.default), annotation=changes.get('annotation', self.annotation))

    def __str__(self):
        text = {2: '*', 4: '**'}.get(self.kind.value, '') + self.name
        if self.annotation is not _Empty:
            name = self.annotation.__name__ if isinstance(self.annotation, type) else str(self.annotation)
            text += f': {name}'
        if self.default is not _Empty:
            text += f'={self.default!r}' if self.annotation is _Empty else f' = {self.default!r}'
        return text

    def __repr__(self):
        return f'<Parameter "{self}">'


_KINDS = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD, Parameter.VAR_POSITIONAL, Parameter.KEYWORD_ONLY, Parameter.VAR_KEYWORD)


class BoundArguments:
    def __init__(self, signature, arguments):
        self.signature = signature
        self.arguments = arguments

    @property
    def args(self):
        values = []
        for name, parameter in self.signature.parameters.items():
            if name not in self.arguments or parameter.kind.value > 2:
                break
            if parameter.kind is Parameter.VAR_POSITIONAL:
                values.extend(self.arguments[name])
            else:
                values.append(self.arguments[name])
        return tuple(values)

    @property
    def kwargs(self):
        values = {}
        by_position = True
        for name, parameter in self.signature.parameters.items():
            if by_position and name in self.arguments and parameter.kind.value <= 2:
                continue
            by_position = False
            if name not in self.arguments:
                continue
            if parameter.kind is Parameter.VAR_KEYWORD:
                values.update(self.arguments[name])
            else:
                values[name] = self.arguments[name]
        return values

    def apply_defaults(self):
        arguments = {}
        for name, parameter in self.signature.parameters.items():
            if name in self.arguments:
                arguments[name] = self.arguments[name]
            elif parameter.default is not _Empty:
                arguments[name] = parameter.default
            elif parameter.kind is Parameter.VAR_POSITIONAL:
                arguments[name] = ()
            elif parameter.kind is Parameter.VAR_KEYWORD:
                arguments[name] = {}
        self.arguments = arguments


class Signature:
    empty = _Empty

    def __init__(self, parameters=None, *, return_annotation=_Empty):
        self.parameters = {each.name: each for each in parameters or []}
        self.return_annotation = return_annotation

    def bind(self, *args, **kwargs):
        return self._bind(args, kwargs, False)

    def bind_partial(self, *args, **kwargs):
        return self._bind(args, kwargs, True)

    def _bind(self, args, kwargs, partial):
        arguments = {}
        rest = list(args)
        for name, parameter in self.parameters.items():
            kind = parameter.kind
            if kind is Parameter.VAR_POSITIONAL:
                if rest:
                    arguments[name] = tuple(rest)
                rest = []
            elif kind is Parameter.VAR_KEYWORD:
                if kwargs:
                    arguments[name] = dict(kwargs)
                kwargs = {}
            elif rest and kind is not Parameter.KEYWORD_ONLY:
                if name in kwargs:
                    raise TypeError(f'multiple values for argument {name!r}')
                arguments[name] = rest.pop(0)
            elif name in kwargs and kind is not Parameter.POSITIONAL_ONLY:
                arguments[name] = kwargs.pop(name)
            elif parameter.default is _Empty and not partial:
                raise TypeError(f'missing a required argument: {name!r}')
        if rest:
            raise TypeError('too many positional arguments')
        if kwargs:
            raise TypeError(f'got an unexpected keyword argument {next(iter(kwargs))!r}')
        return BoundArguments(self, arguments)

    def __str__(self):
        texts = []
        has_star = False
        parameters = list(self.parameters.values())
        for i, each in enumerate(parameters):
            if each.kind is Parameter.VAR_POSITIONAL:
                has_star = True
            if each.kind is Parameter.KEYWORD_ONLY and not has_star:
                texts.append('*')
                has_star = True
            texts.append(str(each))
            is_last = i + 1 == len(parameters) or parameters[i + 1].kind is not Parameter.POSITIONAL_ONLY
            if each.kind is Parameter.POSITIONAL_ONLY and is_last:
                texts.append('/')
        text = '(' + ', '.join(texts) + ')'
        if self.return_annotation is not _Empty:
            name = self.return_annotation.__name__ if isinstance(self.return_annotation, type) else str(self.return_annotation)
            text += f' -> {name}'
        return text

    def __repr__(self):
        return f'<Signature {self}>'


def signature(callable):
    if isinstance(callable, type):
        if type(callable.__init__).__name__ == 'function':
            return _without_first(signature(callable.__init__))
        return Signature(_listed(getattr(callable, '_init_parameters', ())))
    kind = type(callable).__name__
    if kind == 'method':
        if type(callable.__func__).__name__ != 'function' and callable.__name__ == 'forward':
            listed = getattr(callable.__self__, '_forward_parameters', None)
            if listed is not None:
                return Signature(_listed(listed))
        return _without_first(signature(callable.__func__))
    if kind != 'function':
        if hasattr(callable, '_modules'):
            return Signature([Parameter('args', Parameter.VAR_POSITIONAL), Parameter('kwargs', Parameter.VAR_KEYWORD)])
        call = getattr(type(callable), '__call__', None)
        if type(call).__name__ != 'function':
            raise ValueError(f'no signature found for builtin {callable!r}')
        return _without_first(signature(call))
    if hasattr(callable, '__wrapped__'):
        return signature(callable.__wrapped__)
    annotations = callable.__annotations__
    return Signature(_listed(callable._parameters, annotations), return_annotation=annotations.get('return', _Empty))


def _listed(parameters, annotations={}):
    return [
        Parameter(name, _KINDS[kind], default=default if has_default else _Empty, annotation=annotations.get(name, _Empty))
        for name, kind, has_default, default in parameters
    ]


def _without_first(full):
    parameters = list(full.parameters.values())
    if parameters and parameters[0].kind.value < 2:
        parameters = parameters[1:]
    return Signature(parameters, return_annotation=full.return_annotation)


def isclass(value):
    return isinstance(value, type)


def isfunction(value):
    return type(value).__name__ == 'function'


def ismethod(value):
    return type(value).__name__ == 'method'


def isbuiltin(value):
    return type(value).__name__ == 'builtin_function_or_method'


def isroutine(value):
    return type(value).__name__ in ('function', 'method', 'builtin_function_or_method', 'method_descriptor')


def ismodule(value):
    return type(value).__name__ == 'module'


def isgenerator(value):
    return type(value).__name__ == 'generator'


def isgeneratorfunction(value):
    return False


iscoroutinefunction = isasyncgenfunction = iscoroutine = isawaitable = isgeneratorfunction


def isabstract(value):
    return isinstance(value, type) and any(getattr(getattr(value, name, None), '__isabstractmethod__', False) for name in dir(value))


def getmro(cls):
    return cls.__mro__


def getdoc(value):
    return cleandoc(value.__doc__) if isinstance(value.__doc__, str) else None


def cleandoc(doc):
    lines = doc.expandtabs().split('\n')
    margin = min([len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()], default=0)
    lines = [lines[0].lstrip()] + [line[margin:] for line in lines[1:]]
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    return '\n'.join(lines)


def getmembers(value, predicate=None):
    members = [(name, getattr(value, name)) for name in dir(value) if hasattr(value, name)]
    return [(name, member) for name, member in members if predicate is None or predicate(member)]


def currentframe():
    import sys
    return sys._getframe(1)


class ArgInfo:
    def __init__(self, args, varargs, keywords, locals):
        self.args, self.varargs, self.keywords, self.locals = args, varargs, keywords, locals

    def __iter__(self):
        return iter((self.args, self.varargs, self.keywords, self.locals))


def getargvalues(frame):
    code = frame.f_code
    count = code.co_argcount + code.co_kwonlyargcount
    names = list(code.co_varnames)
    varargs = names.pop(count) if code.co_flags & 4 else None
    keywords = names[count] if code.co_flags & 8 else None
    return ArgInfo(names[:count], varargs, keywords, frame.f_locals)


def stack(context=1):
    return []


def getmodule(value):
    import sys
    return sys.modules.get(getattr(value, '__module__', None))


def getfile(value):
    module = value if ismodule(value) else getmodule(value)
    file = getattr(module, '__file__', None)
    if file is None:
        raise TypeError(f'{value!r} is a built-in')
    return file


getsourcefile = getfile


def getsource(value):
    raise OSError('could not get source code')


getsourcelines = getsource


def unwrap(func, *, stop=None):
    while hasattr(func, '__wrapped__') and not (stop is not None and stop(func)):
        func = func.__wrapped__
    return func


class FullArgSpec:
    def __init__(self, func):
        kinds = {'args': [], 'kwonlyargs': []}
        self.varargs = self.varkw = None
        self.kwonlydefaults = {}
        defaults = []
        parameters = list(signature(func.__func__ if ismethod(func) else func.__init__ if isclass(func) else func).parameters.values())
        if isclass(func) and not (parameters and parameters[0].name == 'self'):
            kinds['args'].append('self')
        for each in parameters:
            if each.kind is Parameter.VAR_POSITIONAL:
                self.varargs = each.name
            elif each.kind is Parameter.VAR_KEYWORD:
                self.varkw = each.name
            elif each.kind is Parameter.KEYWORD_ONLY:
                kinds['kwonlyargs'].append(each.name)
                if each.default is not _Empty:
                    self.kwonlydefaults[each.name] = each.default
            else:
                kinds['args'].append(each.name)
                if each.default is not _Empty:
                    defaults.append(each.default)
        self.args, self.kwonlyargs = kinds['args'], kinds['kwonlyargs']
        self.defaults = tuple(defaults) or None
        self.kwonlydefaults = self.kwonlydefaults or None
        self.annotations = {}

    def __iter__(self):
        return iter((self.args, self.varargs, self.varkw, self.defaults, self.kwonlyargs, self.kwonlydefaults, self.annotations))


def getfullargspec(func):
    return FullArgSpec(func)


getargspec = getfullargspec


def getattr_static(obj, attr, *default):
    bases = obj.__mro__ if isinstance(obj, type) else type(obj).__mro__
    for place in (getattr(obj, '__dict__', {}), *[base.__dict__ for base in bases]):
        if attr in place:
            return place[attr]
    if default:
        return default[0]
    raise AttributeError(attr)
