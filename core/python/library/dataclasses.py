# SPDX-License-Identifier: Apache-2.0
class _Missing:
    def __repr__(self):
        return '<dataclasses._MISSING_TYPE object>'


MISSING = _Missing()
_repr = repr  # is an argument's name below


class FrozenInstanceError(AttributeError):
    pass


class KW_ONLY:
    pass


class InitVar:
    def __class_getitem__(cls, type):
        return InitVar


class Field:
    def __init__(self, default, default_factory, init, repr, hash, compare, metadata, kw_only):
        self.name = None
        self.type = None
        self.default = default
        self.default_factory = default_factory
        self.init = init
        self.repr = repr
        self.hash = hash
        self.compare = compare
        self.metadata = {} if metadata is None else metadata
        self.kw_only = kw_only

    def __repr__(self):
        return 'Field(name=%r,type=%r,default=%r)' % (self.name, self.type, self.default)


def field(*, default=MISSING, default_factory=MISSING, init=True, repr=True, hash=None, compare=True, metadata=None,
          kw_only=MISSING):
    if default is not MISSING and default_factory is not MISSING:
        raise ValueError('cannot specify both default and default_factory')
    return Field(default, default_factory, init, repr, hash, compare, metadata, kw_only)


def _is_class_var(type):
    return 'ClassVar' in (type if isinstance(type, str) else repr(type))


def _is_init_var(type):
    return type is InitVar or (isinstance(type, str) and 'InitVar' in type)


def _collect(cls, kw_only):
    fields = {}
    init_vars = {}
    for base in reversed(cls.__mro__[1:]):
        fields.update(base.__dict__.get('__dataclass_fields__', {}))
    own_only = kw_only
    for name, type in cls.__dict__.get('__annotations__', {}).items():
        if type is KW_ONLY or type == 'KW_ONLY':
            own_only = True
            continue
        if _is_class_var(type):
            continue
        default = cls.__dict__.get(name, MISSING)
        made = default if isinstance(default, Field) else field(default=default)
        if isinstance(made.default, (list, dict, set)):
            raise ValueError('mutable default %s for field %s is not allowed: use default_factory'
                             % (repr(made.default.__class__), name))
        made.name = name
        made.type = type
        made.is_init_var = _is_init_var(type)
        if made.kw_only is MISSING:
            made.kw_only = own_only
        fields[name] = made
        if isinstance(default, Field):
            if made.default is MISSING:
                delattr(cls, name)
            else:
                setattr(cls, name, made.default)
    return fields


def _listed(names):
    names = [repr(name) for name in names]
    if len(names) == 1:
        return names[0]
    if len(names) == 2:
        return ' and '.join(names)
    return ', '.join(names[:-1]) + ', and ' + names[-1]


def _make_init(cls, fields, frozen):
    given = [f for f in fields if f.init]
    plain = [f for f in given if not f.kw_only]
    by_name = {f.name: f for f in given}
    seen_default = None
    for f in plain:
        if f.default is not MISSING or f.default_factory is not MISSING:
            seen_default = f
        elif seen_default is not None:
            raise TypeError('non-default argument %r follows default argument' % f.name)

    def __init__(self, *args, **kwargs):
        what = '%s.__init__()' % cls.__qualname__
        if len(args) > len(plain):
            required = len([f for f in plain if f.default is MISSING and f.default_factory is MISSING]) + 1
            most = len(plain) + 1
            takes = str(most) if required == most else 'from %d to %d' % (required, most)
            raise TypeError('%s takes %s positional argument%s but %d were given'
                            % (what, takes, '' if most == 1 else 's', len(args) + 1))
        values = {f.name: arg for f, arg in zip(plain, args)}
        for name, value in kwargs.items():
            if name not in by_name:
                raise TypeError('%s got an unexpected keyword argument %r' % (what, name))
            if name in values:
                raise TypeError('%s got multiple values for argument %r' % (what, name))
            values[name] = value
        missing = [f.name for f in given
                   if f.name not in values and f.default is MISSING and f.default_factory is MISSING]
        if missing:
            positional = [name for name in missing if not by_name[name].kw_only]
            kind = 'positional' if positional else 'keyword-only'
            missing = positional or missing
            raise TypeError('%s missing %d required %s argument%s: %s'
                            % (what, len(missing), kind, '' if len(missing) == 1 else 's', _listed(missing)))
        extra = []
        for f in fields:
            if f.name in values:
                value = values[f.name]
            elif f.default_factory is not MISSING:
                value = f.default_factory()
            elif f.default is not MISSING:
                value = f.default
            else:
                continue
            if f.is_init_var:
                extra.append(value)
            elif frozen:
                object.__setattr__(self, f.name, value)
            else:
                setattr(self, f.name, value)
        if hasattr(self, '__post_init__'):
            self.__post_init__(*extra)

    __init__.__qualname__ = cls.__qualname__ + '.__init__'
    return __init__


def _compare_values(fields):
    names = [f.name for f in fields if f.compare]
    return lambda obj: tuple(getattr(obj, name) for name in names)


def _process(cls, init, repr, eq, order, unsafe_hash, frozen, kw_only):
    collected = _collect(cls, kw_only)
    fields = list(collected.values())
    stored = [f for f in fields if not f.is_init_var]
    cls.__dataclass_fields__ = {f.name: f for f in fields}
    own = cls.__dict__
    if init:
        cls.__init__ = _make_init(cls, fields, frozen)
    if repr and '__repr__' not in own:
        shown = [f.name for f in stored if f.repr]

        def __repr__(self):
            parts = ['%s=%s' % (name, _repr(getattr(self, name))) for name in shown]
            return '%s(%s)' % (self.__class__.__qualname__, ', '.join(parts))

        cls.__repr__ = __repr__
    values = _compare_values(stored)
    if eq and '__eq__' not in own:
        def __eq__(self, other):
            if other.__class__ is not self.__class__:
                return NotImplemented
            return values(self) == values(other)

        cls.__eq__ = __eq__
        if not (frozen or unsafe_hash) and '__hash__' not in own:
            cls.__hash__ = None
    if order:
        def ordered(name, compare):
            def method(self, other):
                if other.__class__ is not self.__class__:
                    return NotImplemented
                return compare(values(self), values(other))

            setattr(cls, name, method)

        ordered('__lt__', lambda a, b: a < b)
        ordered('__le__', lambda a, b: a <= b)
        ordered('__gt__', lambda a, b: a > b)
        ordered('__ge__', lambda a, b: a >= b)
    if unsafe_hash or (eq and frozen):
        cls.__hash__ = lambda self: hash(values(self))
    if frozen:
        def __setattr__(self, name, value):
            raise FrozenInstanceError('cannot assign to field %s' % _quoted(name))

        def __delattr__(self, name):
            raise FrozenInstanceError('cannot delete field %s' % _quoted(name))

        cls.__setattr__ = __setattr__
        cls.__delattr__ = __delattr__
    return cls


def _quoted(text):
    return "'" + text + "'"


def dataclass(cls=None, /, *, init=True, repr=True, eq=True, order=False, unsafe_hash=False, frozen=False,
              match_args=True, kw_only=False, slots=False, weakref_slot=False):
    def wrap(cls):
        return _process(cls, init, repr, eq, order, unsafe_hash, frozen, kw_only)

    return wrap if cls is None else wrap(cls)


def fields(class_or_instance):
    found = getattr(class_or_instance, '__dataclass_fields__', None)
    if found is None:
        raise TypeError('must be called with a dataclass type or instance')
    return tuple(f for f in found.values() if not f.is_init_var)


def is_dataclass(obj):
    return hasattr(obj, '__dataclass_fields__')


def asdict(obj, *, dict_factory=dict):
    if not is_dataclass(obj) or isinstance(obj, type):
        raise TypeError('asdict() should be called on dataclass instances')
    return _as_dict(obj, dict_factory)


def _as_dict(obj, factory):
    if is_dataclass(obj) and not isinstance(obj, type):
        return factory([(f.name, _as_dict(getattr(obj, f.name), factory)) for f in fields(obj)])
    if isinstance(obj, tuple) and hasattr(obj, '_fields'):
        return type(obj)(*[_as_dict(item, factory) for item in obj])
    if isinstance(obj, list):
        return [_as_dict(item, factory) for item in obj]
    if isinstance(obj, tuple):
        return tuple([_as_dict(item, factory) for item in obj])
    if isinstance(obj, dict):
        return {_as_dict(key, factory): _as_dict(value, factory) for key, value in obj.items()}
    return obj


def astuple(obj, *, tuple_factory=tuple):
    if not is_dataclass(obj) or isinstance(obj, type):
        raise TypeError('astuple() should be called on dataclass instances')
    return tuple_factory([astuple(value) if is_dataclass(value) else value
                          for value in (getattr(obj, f.name) for f in fields(obj))])


def replace(obj, /, **changes):
    for f in fields(obj):
        if f.init and f.name not in changes:
            changes[f.name] = getattr(obj, f.name)
    return obj.__class__(**changes)
