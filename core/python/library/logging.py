# SPDX-License-Identifier: Apache-2.0
import sys
import time as _time

CRITICAL = FATAL = 50
ERROR = 40
WARNING = WARN = 30
INFO = 20
DEBUG = 10
NOTSET = 0
_names = {50: 'CRITICAL', 40: 'ERROR', 30: 'WARNING', 20: 'INFO', 10: 'DEBUG', 0: 'NOTSET'}


def _level(level):
    if isinstance(level, int):
        return level
    for number, name in _names.items():
        if name == level:
            return number
    raise ValueError('Unknown level: %r' % level)


def getLevelName(level):
    return _names.get(level, 'Level %s' % level) if isinstance(level, int) else _level(level)


def addLevelName(level, name):
    _names[level] = name


class LogRecord:
    def __init__(self, name, level, msg, args):
        self.name, self.levelno, self.levelname, self.msg, self.args = name, level, getLevelName(level), msg, args
        self.created = _time.time()
        self.msecs = (self.created - int(self.created)) * 1000
        self.lineno, self.filename, self.module, self.funcName, self.pathname = 0, '', '', '', ''
        self.process, self.processName, self.threadName = 0, 'MainProcess', 'MainThread'

    def getMessage(self):
        text = str(self.msg)
        if not self.args:
            return text
        return text % (self.args[0] if len(self.args) == 1 and isinstance(self.args[0], dict) else self.args)


class Formatter:
    def __init__(self, fmt=None, datefmt=None, style='%'):
        self.fmt = fmt or ('%(message)s' if style == '%' else '{message}')
        self.datefmt, self.style = datefmt, style

    def formatTime(self, record, datefmt=None):
        if datefmt:
            return _time.strftime(datefmt, _time.localtime(record.created))
        return _time.strftime('%Y-%m-%d %H:%M:%S', _time.localtime(record.created)) + ',%03d' % record.msecs

    def format(self, record):
        record.message = record.getMessage()
        record.asctime = self.formatTime(record, self.datefmt)
        values = dict(record.__dict__)
        return self.fmt.format(**values) if self.style == '{' else self.fmt % values


class Filter:
    def __init__(self, name=''):
        self.name = name

    def filter(self, record):
        return not self.name or record.name == self.name or record.name.startswith(self.name + '.')


class Handler:
    def __init__(self, level=NOTSET):
        self.level, self.formatter, self.filters = _level(level), None, []

    def setLevel(self, level):
        self.level = _level(level)

    def setFormatter(self, formatter):
        self.formatter = formatter

    def addFilter(self, filter):
        self.filters.append(filter)

    def format(self, record):
        return (self.formatter or Formatter()).format(record)

    def handle(self, record):
        if all(f.filter(record) if hasattr(f, 'filter') else f(record) for f in self.filters):
            self.emit(record)

    def emit(self, record):
        raise NotImplementedError('emit must be implemented by Handler subclasses')

    def flush(self):
        pass

    def close(self):
        pass


class StreamHandler(Handler):
    def __init__(self, stream=None):
        super().__init__()
        self.stream = stream if stream is not None else sys.stderr

    def emit(self, record):
        self.stream.write(self.format(record) + '\n')

    def flush(self):
        self.stream.flush()


class FileHandler(StreamHandler):
    def __init__(self, filename, mode='a', encoding=None, delay=False, errors=None):
        super().__init__(open(filename, mode))
        self.baseFilename = str(filename)

    def emit(self, record):
        super().emit(record)
        self.stream.flush()

    def close(self):
        self.stream.close()


class NullHandler(Handler):
    def emit(self, record):
        pass


class Logger:
    def __init__(self, name, level=NOTSET, parent=None):
        self.name, self.level, self.parent = name, _level(level), parent
        self.propagate, self.disabled, self.handlers, self.filters = True, False, [], []

    def setLevel(self, level):
        self.level = _level(level)

    def getEffectiveLevel(self):
        logger = self
        while logger is not None:
            if logger.level:
                return logger.level
            logger = logger.parent
        return NOTSET

    def isEnabledFor(self, level):
        return not self.disabled and level > _state['disabled'] and level >= self.getEffectiveLevel()

    def addHandler(self, handler):
        if handler not in self.handlers:
            self.handlers.append(handler)

    def removeHandler(self, handler):
        if handler in self.handlers:
            self.handlers.remove(handler)

    def hasHandlers(self):
        logger = self
        while logger is not None:
            if logger.handlers:
                return True
            logger = logger.parent if logger.propagate else None
        return False

    def addFilter(self, filter):
        self.filters.append(filter)

    def getChild(self, suffix):
        return getLogger(suffix if self is root else self.name + '.' + suffix)

    def log(self, level, msg, *args, exc_info=None, stack_info=False, stacklevel=1, extra=None):
        if not self.isEnabledFor(level):
            return
        record = LogRecord(self.name, level, msg, args)
        record.__dict__.update(extra or {})
        for name, value in (extra or {}).items():
            setattr(record, name, value)
        if not all(f.filter(record) if hasattr(f, 'filter') else f(record) for f in self.filters):
            return
        found = False
        logger = self
        while logger is not None:
            for handler in logger.handlers:
                found = True
                if level >= handler.level:
                    handler.handle(record)
            logger = logger.parent if logger.propagate else None
        if not found and level >= WARNING:
            sys.stderr.write(record.getMessage() + '\n')

    def debug(self, msg, *args, **kwargs):
        self.log(DEBUG, msg, *args, **kwargs)

    def info(self, msg, *args, **kwargs):
        self.log(INFO, msg, *args, **kwargs)

    def warning(self, msg, *args, **kwargs):
        self.log(WARNING, msg, *args, **kwargs)

    warn = warning

    def error(self, msg, *args, **kwargs):
        self.log(ERROR, msg, *args, **kwargs)

    exception = error

    def critical(self, msg, *args, **kwargs):
        self.log(CRITICAL, msg, *args, **kwargs)

    fatal = critical

    def __repr__(self):
        return '<%s %s (%s)>' % (type(self).__name__, self.name, getLevelName(self.getEffectiveLevel()))


class RootLogger(Logger):
    pass


class LoggerAdapter:
    """A logger that adds to what is logged."""

    def __init__(self, logger, extra=None):
        self.logger = logger
        self.extra = extra

    def process(self, msg, kwargs):
        kwargs['extra'] = self.extra
        return msg, kwargs

    def log(self, level, msg, *args, **kwargs):
        if self.isEnabledFor(level):
            msg, kwargs = self.process(msg, kwargs)
            self.logger.log(level, msg, *args, **kwargs)

    def debug(self, msg, *args, **kwargs):
        self.log(DEBUG, msg, *args, **kwargs)

    def info(self, msg, *args, **kwargs):
        self.log(INFO, msg, *args, **kwargs)

    def warning(self, msg, *args, **kwargs):
        self.log(WARNING, msg, *args, **kwargs)

    warn = warning

    def error(self, msg, *args, **kwargs):
        self.log(ERROR, msg, *args, **kwargs)

    exception = error

    def critical(self, msg, *args, **kwargs):
        self.log(CRITICAL, msg, *args, **kwargs)

    def isEnabledFor(self, level):
        return self.logger.isEnabledFor(level)

    def setLevel(self, level):
        self.logger.setLevel(level)

    def getEffectiveLevel(self):
        return self.logger.getEffectiveLevel()

    def hasHandlers(self):
        return self.logger.hasHandlers()

    name = property(lambda self: self.logger.name)


_state = {'disabled': -1}
root = RootLogger('root', WARNING)
_loggers = {}


class Manager:
    disable = 0

    def __init__(self):
        self.root = root
        self.loggerDict = _loggers

    def getLogger(self, name):
        return getLogger(name)


Logger.manager = Manager()
Logger.root = root
_logger_class = Logger


def getLoggerClass():
    return _logger_class


def setLoggerClass(cls):
    global _logger_class
    _logger_class = cls


def getLogger(name=None):
    if not name or name == 'root':
        return root
    if name not in _loggers:
        head = name.rpartition('.')[0]
        made = _loggers[name] = _logger_class(name)
        made.parent = getLogger(head) if head else root
    return _loggers[name]


def basicConfig(*, level=None, format=None, datefmt=None, style='%', handlers=None, stream=None, filename=None,
                filemode='a', force=False, encoding=None, errors=None):
    if force:
        root.handlers.clear()
    if not root.handlers:
        if handlers is None:
            handlers = [FileHandler(filename, filemode) if filename else StreamHandler(stream)]
        default = '%(levelname)s:%(name)s:%(message)s' if style == '%' else '{levelname}:{name}:{message}'
        for handler in handlers:
            if handler.formatter is None:
                handler.setFormatter(Formatter(format or default, datefmt, style))
            root.addHandler(handler)
        if level is not None:
            root.setLevel(level)


def disable(level=CRITICAL):
    _state['disabled'] = level


def captureWarnings(capture):
    pass


def _root(level):
    def log(msg, *args, **kwargs):
        basicConfig()
        root.log(level, msg, *args, **kwargs)
    return log


debug, info, warning, error, critical = (_root(level) for level in (DEBUG, INFO, WARNING, ERROR, CRITICAL))
warn, exception, fatal = warning, error, critical


def log(level, msg, *args, **kwargs):
    _root(level)(msg, *args, **kwargs)
