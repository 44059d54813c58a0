# SPDX-License-Identifier: Apache-2.0
import sys as _sys


class _Logger:
    def _write(self, level, message, args, kwargs):
        text = str(message)
        if args or kwargs:
            text = text.format(*args, **kwargs)
        _sys.stderr.write(f'{level: <8} | {text}\n')

    def bind(self, **kwargs):
        return self

    opt = patch = contextualize = bind

    def add(self, *args, **kwargs):
        return 0

    def remove(self, handler_id=None):
        pass

    def configure(self, **kwargs):
        pass

    def catch(self, *args, **kwargs):
        return args[0] if args and callable(args[0]) else (lambda function: function)


def _level(name):
    def write(self, message, *args, **kwargs):
        self._write(name.upper(), message, args, kwargs)
    return write


for _name in ('trace', 'debug', 'info', 'success', 'warning', 'error', 'critical', 'exception'):
    setattr(_Logger, _name, _level(_name))
logger = _Logger()
