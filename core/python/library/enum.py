# SPDX-License-Identifier: Apache-2.0
class auto:
    def __init__(self):
        self.value = None


def unique(enumeration):
    aliases = [(name, member.name) for name, member in enumeration.__members__.items() if name != member.name]
    if aliases:
        raise ValueError('duplicate values found in %r: %s' % (
            enumeration, ', '.join('%s -> %s' % pair for pair in aliases)))
    return enumeration


def _is_member(name, value):
    if name.startswith('_'):
        return False
    return not (isinstance(value, (staticmethod, classmethod, property)) or type(value).__name__ == 'function'
                or hasattr(value, '__get__'))


def _next_value(cls_dict, name, start, count, last_values, is_flag):
    generate = cls_dict.get('_generate_next_value_')
    if generate is not None:
        if isinstance(generate, staticmethod):
            generate = generate.__func__
        return generate(name, start, count, last_values)
    if is_flag:
        value = 1
        while any(value <= last for last in last_values):
            value *= 2
        return value
    numbers = [value for value in last_values if isinstance(value, int)]
    return max(numbers) + 1 if numbers else start


class EnumType(type):
    def __new__(mcs, name, bases, names, **kwargs):
        members = {}
        plain = {}
        for key, value in names.items():
            if _is_member(key, value):
                members[key] = value
            else:
                plain[key] = value
        plain['_member_map_'] = {}
        plain['_value2member_map_'] = {}
        for base in bases:
            if getattr(base, '_member_map_', None):
                raise TypeError('%s cannot extend %s' % (repr(name), repr(base)))
        is_flag = any(getattr(base, '_is_flag_', False) for base in bases)
        inherited = {}
        for base in bases:
            found = getattr(base, '_generate_next_value_', None)
            if found is not None:
                inherited['_generate_next_value_'] = found
        inherited.update(names)
        own_new = plain.pop('__new__', None)
        cls = super().__new__(mcs, name, bases, plain)
        data_type = None
        for base in cls.__mro__[1:]:
            if base in (int, str, float):
                data_type = base
                break
        values = []
        for key, value in members.items():
            if isinstance(value, auto):
                value = _next_value(inherited, key, 1, len(values), values[:], is_flag)
            values.append(value)
            args = value if isinstance(value, tuple) else (value,)
            if own_new is not None:
                function = own_new.__func__ if isinstance(own_new, staticmethod) else own_new
                member = function(cls, *args)
                if hasattr(member, '_value_'):
                    value = member._value_
            elif data_type is not None:
                member = data_type.__new__(cls, value)
            else:
                member = object.__new__(cls)
            existing = None
            for other in cls._member_map_.values():
                if other._value_ == value:
                    existing = other
                    break
            if existing is not None:
                cls._member_map_[key] = existing
                type.__setattr__(cls, key, existing)
                continue
            object.__setattr__(member, '_name_', key)
            object.__setattr__(member, '_value_', value)
            if '__init__' in names:
                member.__init__(*args)
            cls._member_map_[key] = member
            type.__setattr__(cls, key, member)
        return cls

    def __init__(cls, name, bases, names, **kwargs):
        pass

    def __call__(cls, value, *args, **kwargs):
        if not cls._member_map_ and isinstance(value, str) and args:
            return cls._create(value, *args)
        for member in cls._member_map_.values():
            if member is value or member._value_ == value:
                return member
        missing = cls._missing_(value)
        if missing is not None:
            return missing
        raise ValueError('%r is not a valid %s' % (value, cls.__qualname__))

    def _create(cls, name, names):
        if isinstance(names, str):
            names = names.replace(',', ' ').split()
        if isinstance(names, dict):
            pairs = list(names.items())
        else:
            pairs = [item if isinstance(item, tuple) else (item, i + 1) for i, item in enumerate(names)]
        return EnumType(name, (cls,), dict(pairs))

    def __getitem__(cls, name):
        return cls._member_map_[name]

    def __getattr__(cls, name):
        raise AttributeError(name)

    def __iter__(cls):
        return (member for name, member in cls._member_map_.items() if member._name_ == name)

    def __reversed__(cls):
        return reversed([member for name, member in cls._member_map_.items() if member._name_ == name])

    def __len__(cls):
        return len([name for name, member in cls._member_map_.items() if member._name_ == name])

    def __contains__(cls, member):
        return isinstance(member, cls) or any(member == other._value_ for other in cls._member_map_.values())

    def __repr__(cls):
        return "<enum '%s'>" % cls.__name__

    def __setattr__(cls, name, value):
        if name in cls.__dict__.get('_member_map_', {}):
            raise AttributeError('cannot reassign member %r' % name)
        type.__setattr__(cls, name, value)

    @property
    def __members__(cls):
        return dict(cls._member_map_)


EnumMeta = EnumType


class Enum(metaclass=EnumType):
    @classmethod
    def _missing_(cls, value):
        return None

    def __reduce_ex__(self, protocol):
        return self.__class__, (self._value_,)

    def __deepcopy__(self, memo):
        return self

    def __copy__(self):
        return self

    @property
    def name(self):
        return self._name_

    @property
    def value(self):
        return self._value_

    def __repr__(self):
        return '<%s.%s: %r>' % (self.__class__.__name__, self._name_, self._value_)

    def __str__(self):
        return '%s.%s' % (self.__class__.__name__, self._name_)

    def __format__(self, spec):
        return format(str(self), spec)

    def __setattr__(self, name, value):
        if name in ('name', 'value'):
            raise AttributeError("<enum '%s'> cannot set attribute %r" % (self.__class__.__name__, name))
        object.__setattr__(self, name, value)

    def __deepcopy__(self, memo):
        return self

    def __copy__(self):
        return self


class IntEnum(int, Enum):
    def __str__(self):
        return str(self._value_)

    def __format__(self, spec):
        return format(self._value_, spec)

    def __eq__(self, other):
        return self._value_ == (other._value_ if isinstance(other, Enum) else other)

    def __hash__(self):
        return hash(self._value_)


class StrEnum(str, Enum):
    @staticmethod
    def _generate_next_value_(name, start, count, last_values):
        return name.lower()

    def __str__(self):
        return self._value_

    def __format__(self, spec):
        return format(self._value_, spec)

    def __eq__(self, other):
        return self._value_ == (other._value_ if isinstance(other, Enum) else other)

    def __hash__(self):
        return hash(self._value_)


class Flag(Enum):
    _is_flag_ = True

    @classmethod
    def _missing_(cls, value):
        if not isinstance(value, int) or value < 0:
            return None
        member = object.__new__(cls)
        object.__setattr__(member, '_value_', value)
        names = [m._name_ for m in cls._member_map_.values() if m._value_ and m._value_ & value == m._value_]
        object.__setattr__(member, '_name_', '|'.join(names) or None)
        return member

    def __or__(self, other):
        return self.__class__(self._value_ | other._value_)

    def __and__(self, other):
        return self.__class__(self._value_ & other._value_)

    def __xor__(self, other):
        return self.__class__(self._value_ ^ other._value_)

    def __invert__(self):
        every = 0
        for member in self.__class__._member_map_.values():
            every |= member._value_
        return self.__class__(every & ~self._value_)

    def __contains__(self, other):
        return other._value_ & self._value_ == other._value_

    def __bool__(self):
        return bool(self._value_)

    def __eq__(self, other):
        return isinstance(other, self.__class__) and self._value_ == other._value_

    def __hash__(self):
        return hash(self._value_)

    def __repr__(self):
        return '<%s.%s: %r>' % (self.__class__.__name__, self._name_, self._value_)


IntFlag = Flag
