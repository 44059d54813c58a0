# SPDX-License-Identifier: Apache-2.0
# There is no command line: every argument has its default.
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
        self._options = {}
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
        self._options[dest] = (names, options, is_option)
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
        given, rest = self._read(list(args)) if args else ({}, [])
        missing = [shown for dest, default, needed, shown in self._arguments if needed and dest not in self._defaults and dest not in given]
        if missing and args:
            self.error('the following arguments are required: ' + ', '.join(missing))
        if missing:
            raise SystemExit('the following arguments are required: ' + ', '.join(missing) + '; give them defaults, there is no command line here')
        out = namespace if namespace is not None else Namespace()
        for dest, default, needed, shown in self._arguments:
            if default is not SUPPRESS and not hasattr(out, dest):
                setattr(out, dest, default)
        for dest, value in self._defaults.items():
            if dest not in given:
                setattr(out, dest, value)
        for dest, value in given.items():
            setattr(out, dest, value)
        return out, rest

    def _find(self, text):
        for dest, (names, options, is_option) in self._options.items():
            if is_option and text in names:
                return dest
        for dest, (names, options, is_option) in self._options.items():
            if options.get('action') is BooleanOptionalAction and text.startswith('--no-') and '--' + text[5:] in names:
                return dest
        return None

    def _converted(self, dest, text):
        names, options, is_option = self._options[dest]
        convert = options.get('type')
        shown = '/'.join(names)
        value = text
        if convert is not None:
            try:
                value = convert(text)
            except ArgumentTypeError as e:
                self.error('argument %s: %s' % (shown, e))
            except (TypeError, ValueError):
                self.error('argument %s: invalid %s value: %r' % (shown, getattr(convert, '__name__', repr(convert)), text))
        choices = options.get('choices')
        if choices is not None and value not in choices:
            self.error('argument %s: invalid choice: %r (choose from %s)' % (shown, value, ', '.join(map(repr, choices))))
        return value

    # What the words say, by destination, and those that nothing takes.
    def _read(self, words):
        given, rest, free = {}, [], []
        while words:
            word = words.pop(0)
            is_number = word[:1] == '-' and word[1:].replace('.', '', 1).isdigit()
            if not word.startswith('-') or word == '-' or is_number:
                free.append(word)
                continue
            name, equals, value = word.partition('=')
            dest = self._find(name)
            if dest is None and not name.startswith('--') and len(name) > 2 and self._find(name[:2]) is not None:
                name, equals, value = name[:2], '=', word[2:]
                dest = self._find(name)
            if dest is None:
                rest.append(word)
                continue
            names, options, is_option = self._options[dest]
            action, nargs = options.get('action', 'store'), options.get('nargs')
            if action == 'store_true' or action == 'store_false':
                given[dest] = action == 'store_true'
            elif action == 'store_const':
                given[dest] = options.get('const')
            elif action == 'count':
                given[dest] = (given.get(dest, options.get('default')) or 0) + 1
            elif action is BooleanOptionalAction:
                given[dest] = not name.startswith('--no-')
            else:
                most = 1 if nargs is None or nargs == '?' else nargs if isinstance(nargs, int) else len(words) + 1
                taken = [value] if equals else []
                while not equals and words and len(taken) < most and (not words[0].startswith('-') or words[0][1:].replace('.', '', 1).isdigit()):
                    taken.append(words.pop(0))
                if nargs is None and not taken:
                    self.error('argument %s: expected one argument' % '/'.join(names))
                if (nargs == '+' and not taken) or (isinstance(nargs, int) and len(taken) != nargs):
                    self.error('argument %s: expected %s' % ('/'.join(names), 'at least one argument' if nargs == '+' else '%d arguments' % nargs))
                values = [self._converted(dest, text) for text in taken]
                value = options.get('const') if nargs == '?' and not values else values[0] if nargs is None or nargs == '?' else values
                given[dest] = [*given.get(dest, options.get('default') or []), value] if action == 'append' else value
        for dest, (names, options, is_option) in self._options.items():
            if is_option:
                continue
            nargs = options.get('nargs')
            count = 1 if nargs in (None, '?') else nargs if isinstance(nargs, int) else len(free)
            taken, free = free[:count], free[count:]
            if taken:
                values = [self._converted(dest, text) for text in taken]
                given[dest] = values[0] if nargs in (None, '?') else values
        return given, rest + free

    def parse_args(self, args=None, namespace=None):
        out, rest = self.parse_known_args(args, namespace)
        if rest:
            self.error('unrecognized arguments: ' + ' '.join(rest))
        return out

    def format_usage(self):
        return 'usage: %s\n' % (self.prog or '')

    def format_help(self):
        return self.format_usage()

    def print_usage(self, file=None):
        pass

    def print_help(self):
        pass

    def error(self, message):
        raise SystemExit(message)
