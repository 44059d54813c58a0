# SPDX-License-Identifier: Apache-2.0
import inspect


class AttributeDict(dict):
    def __getattr__(self, name):
        if name in self:
            return self[name]
        raise AttributeError('Missing attribute "%s"' % name)

    def __setattr__(self, name, value):
        self[name] = value

    def __repr__(self):
        return '\n'.join('"%s": %r' % (name, value) for name, value in sorted(self.items()))


def parse_class_init_keys(cls):
    """The names that __init__ has for self, *args and **kwargs; None where it has none."""
    parameters = list(inspect.signature(cls.__init__).parameters.values())

    def first_of(kind):
        return next((each.name for each in parameters if each.kind is kind), None)

    return parameters[0].name, first_of(inspect.Parameter.VAR_POSITIONAL), first_of(inspect.Parameter.VAR_KEYWORD)


def get_init_args(frame):
    """What the __init__ that runs in the frame was given, by name."""
    values = inspect.getargvalues(frame).locals
    if '__class__' not in values:
        return {}
    cls = values['__class__']
    gathering = parse_class_init_keys(cls)
    given = {name: values[name] for name in inspect.signature(cls.__init__).parameters}
    if gathering[2]:
        given.update(given.get(gathering[2], {}))
    left_out = {*gathering, '__class__', 'frame', 'frame_args'}
    return {name: value for name, value in given.items() if name not in left_out}
