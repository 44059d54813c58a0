// SPDX-License-Identifier: Apache-2.0
// argparse of a program without a command line.
#include "core/python/standard_modules.h"

namespace loupe::python {

std::string_view argparse_source() {
    return R"py(# There is no command line: every argument has its default.
class Namespace:
    def __init__(self, **kwargs):
        for name, value in kwargs.items():
            setattr(self, name, value)

    def __repr__(self):
        return 'Namespace(' + ', '.join('{}={!r}'.format(k, v) for k, v in self.__dict__.items()) + ')'

    def __eq__(self, other):
        return isinstance(other, Namespace) and self.__dict__ == other.__dict__

    def __contains__(self, key):
        return key in self.__dict__


SUPPRESS = '==SUPPRESS=='
REMAINDER = '...'
OPTIONAL = '?'
ZERO_OR_MORE = '*'
ONE_OR_MORE = '+'


class Action:
    pass


class HelpFormatter:
    pass


class ArgumentDefaultsHelpFormatter(HelpFormatter):
    pass


class RawTextHelpFormatter(HelpFormatter):
    pass


class RawDescriptionHelpFormatter(HelpFormatter):
    pass


class ArgumentTypeError(Exception):
    pass


class ArgumentError(Exception):
    pass


class BooleanOptionalAction(Action):
    pass


class ArgumentParser:
    def __init__(self, prog=None, usage=None, description=None, **options):
        self.prog = prog
        self.description = description
        self._arguments = []
        self._defaults = {}

    def add_argument(self, *names, **options):
        if not names:
            raise ValueError('an argument needs a name')
        is_option = names[0].startswith('-')
        dest = options.get('dest')
        if dest is None:
            longest = [n for n in names if n.startswith('--')]
            dest = (longest or list(names))[0].lstrip('-').replace('-', '_') if is_option else names[0]
        action = options.get('action', 'store')
        default = options.get('default')
        if 'default' not in options and action == 'store_true':
            default = False
        if 'default' not in options and action == 'store_false':
            default = True
        if 'default' not in options and not is_option and options.get('nargs') == '*':
            default = []
        convert = options.get('type')
        if isinstance(default, str) and convert is not None:
            default = convert(default)
        needed = options.get('required', False) if is_option else options.get('nargs') not in ('?', '*') and 'default' not in options
        self._arguments.append((dest, default, needed, '/'.join(names)))
        return Action()

    def add_argument_group(self, *args, **kwargs):
        return self

    def add_mutually_exclusive_group(self, **kwargs):
        return self

    def set_defaults(self, **kwargs):
        self._defaults.update(kwargs)

    def get_default(self, dest):
        return vars(self.parse_known_args()[0]).get(dest)

    def parse_known_args(self, args=None, namespace=None):
        if args:
            raise NotImplementedError('there is no command line here: parse_args() gives the defaults')
        missing = [shown for dest, default, needed, shown in self._arguments if needed and dest not in self._defaults]
        if missing:
            raise SystemExit('the following arguments are required: ' + ', '.join(missing) + '; give them defaults, there is no command line here')
        out = namespace if namespace is not None else Namespace()
        for dest, default, needed, shown in self._arguments:
            if default is not SUPPRESS and not hasattr(out, dest):
                setattr(out, dest, default)
        for dest, value in self._defaults.items():
            setattr(out, dest, value)
        return out, []

    def parse_args(self, args=None, namespace=None):
        return self.parse_known_args(args, namespace)[0]

    def print_help(self):
        pass

    def error(self, message):
        raise SystemExit(message)
)py";
}

}  // namespace loupe::python
