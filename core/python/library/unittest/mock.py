# SPDX-License-Identifier: Apache-2.0
class _Call(tuple):
    pass


class Mock:
    def __init__(self, return_value=None, side_effect=None, **kwargs):
        self.__dict__.update(kwargs)
        self.return_value = return_value
        self.side_effect = side_effect
        self.call_args_list = []

    called = property(lambda self: bool(self.call_args_list))
    call_count = property(lambda self: len(self.call_args_list))

    def __call__(self, *args, **kwargs):
        self.call_args_list.append((args, kwargs))
        if callable(self.side_effect):
            return self.side_effect(*args, **kwargs)
        if isinstance(self.side_effect, BaseException):
            raise self.side_effect
        return self.return_value

    def __getattr__(self, name):
        if name.startswith('__'):
            raise AttributeError(name)
        made = Mock()
        self.__dict__[name] = made
        return made


MagicMock = Mock


class _Patch:
    def __init__(self, target, name, new):
        self.target, self.name, self.new = target, name, new

    def __enter__(self):
        self.before = getattr(self.target, self.name)
        setattr(self.target, self.name, self.new)
        return self.new

    def __exit__(self, *exception):
        setattr(self.target, self.name, self.before)
        return False


def patch(target, new=None):
    from importlib import import_module
    module, name = target.rsplit('.', 1)
    return _Patch(import_module(module), name, Mock() if new is None else new)


patch.object = lambda target, name, new=None: _Patch(target, name, Mock() if new is None else new)
