# SPDX-License-Identifier: Apache-2.0
import sys


class SkipTest(Exception):
    pass


class _Raises:
    def __init__(self, case, expected, pattern=None):
        self.case = case
        self.expected = expected
        self.pattern = pattern
        self.exception = None

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        if kind is None:
            names = self.expected.__name__ if isinstance(self.expected, type) else str(self.expected)
            raise self.case.failureException(f'{names} not raised')
        if not isinstance(value, self.expected):
            return False
        self.exception = value
        if self.pattern is not None:
            import re
            if not re.search(self.pattern, str(value)):
                raise self.case.failureException(f'"{self.pattern}" does not match "{value}"')
        return True


class TestCase:
    failureException = AssertionError
    maxDiff = None

    def __init__(self, methodName='runTest'):
        self._testMethodName = methodName

    def setUp(self):
        pass

    def tearDown(self):
        pass

    @classmethod
    def setUpClass(cls):
        pass

    @classmethod
    def tearDownClass(cls):
        pass

    def _fail(self, standard, msg):
        raise self.failureException(standard if msg is None else f'{standard} : {msg}')

    def fail(self, msg=None):
        raise self.failureException(msg)

    def skipTest(self, reason):
        raise SkipTest(reason)

    def assertTrue(self, expr, msg=None):
        if not expr:
            self._fail(f'{expr!r} is not true', msg)

    def assertFalse(self, expr, msg=None):
        if expr:
            self._fail(f'{expr!r} is not false', msg)

    def assertEqual(self, first, second, msg=None):
        if not first == second:
            self._fail(f'{first!r} != {second!r}', msg)

    assertListEqual = assertTupleEqual = assertDictEqual = assertSetEqual = assertSequenceEqual = assertEqual

    def assertNotEqual(self, first, second, msg=None):
        if not first != second:
            self._fail(f'{first!r} == {second!r}', msg)

    def assertIs(self, first, second, msg=None):
        if first is not second:
            self._fail(f'{first!r} is not {second!r}', msg)

    def assertIsNot(self, first, second, msg=None):
        if first is second:
            self._fail(f'unexpectedly identical: {first!r}', msg)

    def assertIsNone(self, obj, msg=None):
        if obj is not None:
            self._fail(f'{obj!r} is not None', msg)

    def assertIsNotNone(self, obj, msg=None):
        if obj is None:
            self._fail('unexpectedly None', msg)

    def assertIn(self, member, container, msg=None):
        if member not in container:
            self._fail(f'{member!r} not found in {container!r}', msg)

    def assertNotIn(self, member, container, msg=None):
        if member in container:
            self._fail(f'{member!r} unexpectedly found in {container!r}', msg)

    def assertIsInstance(self, obj, cls, msg=None):
        if not isinstance(obj, cls):
            self._fail(f'{obj!r} is not an instance of {cls!r}', msg)

    def assertNotIsInstance(self, obj, cls, msg=None):
        if isinstance(obj, cls):
            self._fail(f'{obj!r} is an instance of {cls!r}', msg)

    def assertGreater(self, a, b, msg=None):
        if not a > b:
            self._fail(f'{a!r} not greater than {b!r}', msg)

    def assertGreaterEqual(self, a, b, msg=None):
        if not a >= b:
            self._fail(f'{a!r} not greater than or equal to {b!r}', msg)

    def assertLess(self, a, b, msg=None):
        if not a < b:
            self._fail(f'{a!r} not less than {b!r}', msg)

    def assertLessEqual(self, a, b, msg=None):
        if not a <= b:
            self._fail(f'{a!r} not less than or equal to {b!r}', msg)

    def assertAlmostEqual(self, first, second, places=None, msg=None, delta=None):
        if first == second:
            return
        difference = abs(first - second)
        if delta is not None:
            if not difference <= delta:
                self._fail(f'{first!r} != {second!r} within {delta!r} delta ({difference!r} difference)', msg)
        elif round(difference, 7 if places is None else places) != 0:
            self._fail(f'{first!r} != {second!r} within {7 if places is None else places} places ({difference!r} difference)', msg)

    def assertNotAlmostEqual(self, first, second, places=None, msg=None, delta=None):
        if round(abs(first - second), 7 if places is None else places) == 0:
            self._fail(f'{first!r} == {second!r} within {7 if places is None else places} places', msg)

    def assertRaises(self, expected_exception, *args, **kwargs):
        context = _Raises(self, expected_exception)
        if not args:
            return context
        with context:
            args[0](*args[1:], **kwargs)

    def assertRaisesRegex(self, expected_exception, expected_regex, *args, **kwargs):
        context = _Raises(self, expected_exception, expected_regex)
        if not args:
            return context
        with context:
            args[0](*args[1:], **kwargs)

    def assertCountEqual(self, first, second, msg=None):
        rest = list(second)
        for item in first:
            if item not in rest:
                self._fail(f'Element counts were not equal: {item!r}', msg)
            rest.remove(item)
        if rest:
            self._fail(f'Element counts were not equal: {rest!r}', msg)

    def subTest(self, msg=None, **params):
        from contextlib import nullcontext
        return nullcontext()

    def run(self, result):
        method = getattr(self, self._testMethodName)
        result.testsRun += 1
        try:
            self.setUp()
            try:
                method()
            finally:
                self.tearDown()
            result.progress('.')
        except SkipTest as skipped:
            result.skipped.append((self, str(skipped)))
            result.progress('s')
        except AssertionError as failure:
            result.failures.append((self, str(failure)))
            result.progress('F')
        except Exception as error:
            result.errors.append((self, f'{type(error).__name__}: {error}'))
            result.progress('E')

    def id(self):
        return f'{type(self).__module__}.{type(self).__qualname__}.{self._testMethodName}'

    def __str__(self):
        return f'{self._testMethodName} ({type(self).__module__}.{type(self).__qualname__}.{self._testMethodName})'


class TestResult:
    def __init__(self):
        self.testsRun = 0
        self.failures = []
        self.errors = []
        self.skipped = []

    def progress(self, letter):
        sys.stderr.write(letter)

    def wasSuccessful(self):
        return not self.failures and not self.errors


class TestSuite:
    def __init__(self, tests=()):
        self._tests = list(tests)

    def addTest(self, test):
        self._tests.append(test)

    def __iter__(self):
        return iter(self._tests)

    def countTestCases(self):
        return sum(each.countTestCases() if isinstance(each, TestSuite) else 1 for each in self._tests)

    def run(self, result):
        for test in self._tests:
            test.run(result)
        return result


class TestLoader:
    def loadTestsFromTestCase(self, cls):
        return TestSuite([cls(name) for name in sorted(set(dir(cls))) if name.startswith('test') and callable(getattr(cls, name))])

    def loadTestsFromModule(self, module):
        return TestSuite([self.loadTestsFromTestCase(each) for each in vars(module).values()
                          if isinstance(each, type) and issubclass(each, TestCase) and each is not TestCase])


defaultTestLoader = TestLoader()


class TextTestRunner:
    def __init__(self, stream=None, verbosity=1, **kwargs):
        pass

    def run(self, suite):
        result = TestResult()
        suite.run(result)
        write = sys.stderr.write
        for kind, found in (('ERROR', result.errors), ('FAIL', result.failures)):
            for test, text in found:
                write('\n' + '=' * 70 + f'\n{kind}: {test}\n' + '-' * 70 + f'\n{text}\n')
        write('\n' + '-' * 70 + f'\nRan {result.testsRun} test{"s" if result.testsRun != 1 else ""}\n\n')
        write('OK\n' if result.wasSuccessful() else f'FAILED (failures={len(result.failures)}, errors={len(result.errors)})\n')
        return result


def main(module='__main__', argv=None, exit=True, verbosity=1, **kwargs):
    result = TextTestRunner().run(defaultTestLoader.loadTestsFromModule(sys.modules[module]))
    if exit:
        sys.exit(not result.wasSuccessful())


def skip(reason):
    def decorate(item):
        def skipped(*args, **kwargs):
            raise SkipTest(reason)
        if isinstance(item, type):
            item.setUp = skipped
            return item
        return skipped
    return decorate


def skipIf(condition, reason):
    return skip(reason) if condition else (lambda item: item)


def skipUnless(condition, reason):
    return skipIf(not condition, reason)


def expectedFailure(item):
    def run(*args, **kwargs):
        try:
            item(*args, **kwargs)
        except Exception:
            return
        raise AssertionError('Unexpected success')
    return run
