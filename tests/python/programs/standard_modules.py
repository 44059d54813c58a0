"""Smaller modules of the standard library, as training scripts use them."""
import argparse
import bisect
import contextlib
import csv
import glob
import hashlib
import heapq
import io
import operator
import os
import pprint
import queue
import shutil
import statistics
import string
import sys
import tempfile
import textwrap
import traceback
import types
import uuid
import warnings
from abc import ABC, abstractmethod

# csv
text = io.StringIO()
writer = csv.writer(text)
writer.writerow(['epoch', 'loss', 'note'])
writer.writerows([[1, 0.5, 'a,b'], [2, 0.25, 'say "hi"'], [3, None, 'two\nlines'], [4, True, '']])
print(repr(text.getvalue()))
text.seek(0)
print(list(csv.reader(text)))
rows = list(csv.DictReader(io.StringIO('a,b\n1,2\n3\n4,5,6\n')))
print(rows)
out = io.StringIO()
d = csv.DictWriter(out, fieldnames=['x', 'y'], lineterminator='\n', extrasaction='ignore', restval='-')
d.writeheader()
d.writerow({'x': 1, 'y': 2, 'z': 3})
d.writerow({'x': 'q"r'})
print(repr(out.getvalue()))
print(list(csv.reader(['a;"b;c";d', "1; 2;'3'"], delimiter=';')), list(csv.reader(['1,"x"', '2.5,"y,"'], quoting=csv.QUOTE_NONNUMERIC)))
try:
    csv.DictWriter(out, ['x']).writerow({'w': 1})
except ValueError as e:
    print(e)

# hashlib, uuid
for name in ('md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512'):
    h = hashlib.new(name)
    h.update(b'')
    one = h.hexdigest()
    h.update(b'abc' * 50)
    print(name, one[:24], h.hexdigest(), h.digest_size, h.block_size)
print(hashlib.md5(b'hello').hexdigest(), hashlib.sha256('é'.encode()).hexdigest()[:16], hashlib.sha1(b'x' * 1000).digest()[:4], hashlib.sha512(b'a' * 111).hexdigest()[:20])
try:
    hashlib.md5('text')
except TypeError as e:
    print(e)
u = uuid.UUID('12345678123456781234567812345678')
print(u, u.hex, u.int, u.version, repr(u), uuid.uuid5(uuid.NAMESPACE_DNS, 'python.org'), uuid.uuid3(uuid.NAMESPACE_DNS, 'python.org'))
print(uuid.uuid4().version, len(str(uuid.uuid4())), uuid.uuid4() != uuid.uuid4(), uuid.uuid1().version)

# queue, heapq, bisect
q = queue.Queue(maxsize=2)
q.put(1)
q.put(2)
print(q.full(), q.get(), q.qsize(), q.empty())
try:
    q.put_nowait(3)
    q.put_nowait(4)
except queue.Full:
    print('full')
p = queue.PriorityQueue()
for item in ((3, 'c'), (1, 'a'), (2, 'b')):
    p.put(item)
print([p.get() for _ in range(3)], queue.LifoQueue().empty())
try:
    p.get(block=False)
except queue.Empty:
    print('empty')
h = [5, 1, 4]
heapq.heapify(h)
heapq.heappush(h, 0)
print(heapq.heappop(h), heapq.nlargest(2, h), heapq.nsmallest(2, h, key=lambda v: -v), heapq.heappushpop(h, 9), heapq.heapreplace(h, 7), sorted(h), list(heapq.merge([1, 4], [2, 3])))
s = [1, 3, 3, 5]
bisect.insort(s, 4)
print(s, bisect.bisect_left(s, 3), bisect.bisect(s, 3), bisect.bisect_right(s, 9), bisect.bisect_left([(1, 'a'), (2, 'b')], 2, key=operator.itemgetter(0)))

# operator, statistics, string, textwrap
print(operator.itemgetter(1, 0)('ab'), operator.attrgetter('real', 'imag')(1 + 2j), operator.methodcaller('upper')('x'), operator.iadd([1], [2]), operator.indexOf([4, 5], 5),
      operator.countOf('banana', 'a'), operator.invert(5), operator.lshift(1, 3), operator.is_not(1, None), operator.abs(-3), operator.pos(2), operator.contains([1], 1))
data = [1.5, 2.5, 2.5, 4.0, 7.25]
print(statistics.mean(data), statistics.fmean(data), statistics.median(data), statistics.stdev(data), statistics.pstdev(data), statistics.variance(data), statistics.mode('aabbb'),
      statistics.median_low([1, 2, 3, 4]), statistics.median_high([1, 2, 3, 4]), statistics.multimode('aabb'), statistics.quantiles(data, n=4), statistics.harmonic_mean([40, 60]))
print(statistics.mean([1, 2, 3]), statistics.mean([1, 2]), statistics.median([1, 2, 3, 4]), round(statistics.geometric_mean([1, 4]), 9), statistics.correlation([1, 2, 3], [2, 4, 6]))
try:
    statistics.mean([])
except statistics.StatisticsError as e:
    print(e)
t = string.Template('$name scored ${points} of $$100')
print(t.substitute(name='A', points=3), t.safe_substitute({'name': 'B'}), string.capwords('hello big world'), string.ascii_lowercase[:3], string.digits, len(string.printable))
try:
    t.substitute(name='x')
except KeyError as e:
    print('KeyError', e)
print(textwrap.fill('the quick brown fox jumps over the lazy dog', 20), textwrap.indent('a\n\nb', '> '), textwrap.dedent('  x\n    y'), textwrap.shorten('hello wide world', 12), textwrap.wrap('aaa bbb ccc', 7))

# contextlib, types, warnings, traceback
@contextlib.contextmanager
def section(name):
    print('enter', name)
    try:
        yield name.upper()
    except ValueError as e:
        print('caught', e)
    finally:
        print('leave', name)


with section('one') as n, contextlib.suppress(KeyError), contextlib.nullcontext(5) as five:
    print(n, five)
    {}['gone']
with section('two'):
    raise ValueError('inside')
buffer = io.StringIO()
with contextlib.redirect_stdout(buffer), contextlib.ExitStack() as stack:
    stack.callback(print, 'called back')
    print('hidden')
print(repr(buffer.getvalue()))
ns = types.SimpleNamespace(a=1, b='x')
ns.c = [2]
print(ns, ns == types.SimpleNamespace(a=1, b='x', c=[2]), isinstance(len, types.BuiltinFunctionType), isinstance(section, types.FunctionType), isinstance(sys, types.ModuleType), types.NoneType)
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter('always')
    warnings.warn('careful', UserWarning)
    warnings.warn('old', DeprecationWarning, stacklevel=2)
print([(str(w.message), w.category.__name__) for w in seen])


def fail():
    raise RuntimeError('broken')


try:
    fail()
except RuntimeError as e:
    lines = traceback.format_exc().splitlines()
    print(lines[0], lines[-1], any('in fail' in line for line in lines))
    print(traceback.format_exception_only(e), ''.join(traceback.format_exception(e)).splitlines()[-1])
pprint.pprint({'b': [1, 2], 'a': {'x': None}})


class Base(ABC):
    @abstractmethod
    def run(self): ...

    @property
    @abstractmethod
    def size(self): ...


try:
    Base()
except TypeError as e:
    print(e)

# files
with tempfile.TemporaryDirectory() as folder:
    for name in ('b.txt', 'a.txt', 'c.log'):
        with open(os.path.join(folder, name), 'w', newline='') as f:
            csv.writer(f).writerow([name, 1])
    print(sorted(os.path.basename(f) for f in glob.glob(os.path.join(folder, '*.txt'))), len(list(glob.iglob(folder + '/**', recursive=True))) >= 3)
    shutil.copy(folder + '/a.txt', folder + '/d.txt')
    with open(folder + '/d.txt', newline='') as f:
        print(list(csv.reader(f)), hashlib.md5(open(folder + '/d.txt', 'rb').read()).hexdigest())
print(os.path.exists(folder))
parser = argparse.ArgumentParser(prog='train', description='x')
parser.add_argument('--lr', '-l', type=float, default=1e-3, help='rate')
parser.add_argument('--layers', nargs='+', type=int, default=[1, 2])
parser.add_argument('--verbose', action='store_true')
parser.add_argument('--no-shuffle', dest='shuffle', action='store_false')
parser.add_argument('--mode', choices=['a', 'b'], default='a')
group = parser.add_mutually_exclusive_group()
group.add_argument('--gpu', type=int)
sub = parser.add_argument_group('data')
sub.add_argument('--path', default=os.path.join('a', 'b'))
parser.set_defaults(extra=5)
args = parser.parse_args([])
print(args, vars(args)['lr'], args.shuffle, parser.parse_known_args([])[1])
args = parser.parse_args(['--lr', '0.5', '--layers', '3', '4', '5', '--verbose', '--no-shuffle', '--mode=b', '--gpu', '1'])
print(args)
