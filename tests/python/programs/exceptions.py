# SPDX-License-Identifier: Apache-2.0
class AppError(Exception):
    def __init__(self, message, code=1):
        super().__init__(message)
        self.code = code


class SubError(AppError):
    pass


def risky(kind):
    if kind == 0:
        return 1 / 0
    if kind == 1:
        return [][5]
    if kind == 2:
        return {}['k']
    if kind == 3:
        return int('x')
    if kind == 4:
        raise SubError('sub failed', code=7)
    if kind == 5:
        return None.attribute
    if kind == 6:
        return 'a' + 1
    if kind == 7:
        raise NotImplementedError
    return 'fine'


for k in range(9):
    try:
        print(risky(k))
    except ZeroDivisionError as e:
        print('zero', e)
    except (IndexError, KeyError) as e:
        print('lookup', type(e).__name__, e, isinstance(e, LookupError))
    except AppError as e:
        print('app', e, e.code, e.args, repr(e))
    except (ValueError, TypeError, AttributeError) as e:
        print(type(e).__name__, e)
    except Exception as e:
        print('other', repr(e))
    else:
        print('no error')
    finally:
        print('finally', k)


def order():
    try:
        print('body')
        return 'from body'
    finally:
        print('cleanup')


def override():
    try:
        return 'body'
    finally:
        return 'finally wins'


def loop():
    for i in range(3):
        try:
            if i == 1:
                continue
            if i == 2:
                break
            print('i', i)
        finally:
            print('f', i)


print(order(), override())
loop()
try:
    try:
        raise ValueError('inner')
    except ValueError as e:
        raise RuntimeError('outer') from e
except RuntimeError as e:
    print(e, repr(e.__cause__), e.__context__ is e.__cause__)
try:
    try:
        {}['a']
    except KeyError:
        raise TypeError('while handling')
except TypeError as e:
    print(e, repr(e.__context__), e.__cause__)


def reraise():
    try:
        raise AppError('again')
    except AppError:
        print('caught')
        raise


try:
    reraise()
except AppError as e:
    print('outer', e, e.code)
try:
    e
except NameError:
    print('name is gone')
try:
    raise ValueError
except ValueError as error:
    print(repr(error), str(error) == '')
try:
    raise 'text'
except TypeError as error:
    print(error)
try:
    a, b = 1, 2, 3
except ValueError as error:
    print(error)
try:
    a, b, c = [1]
except ValueError as error:
    print(error)
try:
    a, b = 5
except TypeError as error:
    print(error)
try:
    (lambda: undefined_name)()
except NameError as error:
    print(error)
try:
    len(5)
except TypeError as error:
    print(error)
try:
    for x in 5: pass
except TypeError as error:
    print(error)
try:
    5()
except TypeError as error:
    print(error)
try:
    [1, 2]['a']
except TypeError as error:
    print(error)
try:
    raise KeyError('with', 'two')
except KeyError as error:
    print(error)
print(issubclass(ZeroDivisionError, ArithmeticError), issubclass(KeyError, LookupError), issubclass(SubError, Exception))


def deep(n):
    return deep(n + 1)


try:
    deep(0)
except RecursionError as error:
    print('recursion', error)
try:
    pass
except:
    print('no')
else:
    print('else ran')
try:
    raise SystemExit(3)
except BaseException as error:
    print(type(error).__name__, error.args)
