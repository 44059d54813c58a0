import base64
import binascii
import gzip
import io
import struct
import zlib
print(struct.pack('<IfH', 1, 0.5, 65535), struct.unpack('<IfH', struct.pack('<IfH', 1, 0.5, 65535)), struct.calcsize('<IfH'), struct.calcsize('IHI'))
print(struct.pack('>hq?c3s', -2, 1 << 40, True, b'x', b'ab'), struct.unpack('>d', struct.pack('>d', 3.14)), struct.unpack('<e', b'\x00\x3c'))
print(struct.unpack_from('<2H', b'\x00\x01\x00\x02\x00', 1), list(struct.iter_unpack('<H', b'\x01\x00\x02\x00')), struct.Struct('<3B').unpack(b'abc'))
buffer = bytearray(6)
struct.pack_into('<H', buffer, 2, 513)
print(buffer)
for bad in (lambda: struct.pack('<B', 256), lambda: struct.unpack('<I', b'abc'), lambda: struct.pack('<I'), lambda: struct.pack('<h', 40000)):
    try:
        bad()
    except struct.error as e:
        print(e)
for text in (b'', b'f', b'fo', b'foo', b'foobar', bytes(range(0, 256, 17))):
    coded = base64.b64encode(text)
    print(coded, base64.b64decode(coded) == text, base64.urlsafe_b64encode(text), base64.b16encode(text))
print(base64.b64decode('Zm9v\nYmFy'), binascii.hexlify(b'\x01\xab'), binascii.unhexlify('01ab'), base64.encodebytes(b'a' * 60))
for bad in (lambda: base64.b64decode('Zm9'), lambda: binascii.unhexlify('abc')):
    try:
        bad()
    except binascii.Error as e:
        print(e)
data = b'hello ' * 100
packed = zlib.compress(data)
print(len(packed) < 40, zlib.decompress(packed) == data, zlib.crc32(data), zlib.adler32(data), zlib.crc32(b'b', zlib.crc32(b'a')))
try:
    zlib.decompress(b'nonsense')
except zlib.error as e:
    print(e)
zipped = gzip.compress(data)
print(zipped[:2], gzip.decompress(zipped) == data, gzip.decompress(zipped + gzip.compress(b'more'))[-4:])
with gzip.open(io.BytesIO(zipped)) as file:
    print(file.read(11), file.read(1))
