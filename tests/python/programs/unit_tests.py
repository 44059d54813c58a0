import importlib
import importlib.util
import logging
import sys
import unittest
from importlib import import_module


class TestThings(unittest.TestCase):
    def setUp(self):
        self.value = 3

    def test_equal(self):
        self.assertEqual(self.value, 3)
        self.assertIn(1, [1, 2])
        self.assertAlmostEqual(0.1 + 0.2, 0.3)
        with self.assertRaises(ZeroDivisionError):
            1 / 0

    def test_failing(self):
        self.assertTrue(self.value == 4)

    @unittest.skip('not now')
    def test_skipped(self):
        raise RuntimeError


suite = unittest.defaultTestLoader.loadTestsFromTestCase(TestThings)
result = unittest.TestResult()
suite.run(result)
print(result.testsRun, len(result.failures), len(result.errors), len(result.skipped), result.wasSuccessful())
math = import_module('math')
print(math.pi, import_module('os.path').basename('/a/b'), importlib.util.find_spec('no_such_thing'), importlib.util.find_spec('json') is not None)
try:
    import_module('no_such_thing')
except ModuleNotFoundError as e:
    print(e)
try:
    import no_such_thing
except ImportError:
    no_such_thing = None
print(no_such_thing, sys.modules['math'] is math, sys.version_info >= (3, 8), sys.version_info.major, sys.modules[__name__].suite is suite)


class Adapter(logging.LoggerAdapter):
    def process(self, msg, kwargs):
        return f'[{self.extra["who"]}] {msg}', kwargs


class Shown(logging.Handler):
    def emit(self, record):
        print(record.levelname, record.getMessage())


logger = logging.getLogger('unit')
logger.addHandler(Shown())
logger.propagate = False
Adapter(logger, {'who': 'me'}).warning('count %d', 3)
print(issubclass(ConnectionResetError, OSError), issubclass(IndentationError, SyntaxError), 'unit' in logging.root.manager.loggerDict)
