# No function of the system is given a path with a null byte; functions on text take it.
import glob
import io
import os
import pathlib
import shutil
import tempfile

PATH = 'a\0b'


class Named:
    def __fspath__(self):
        return PATH


def show(name, work):
    try:
        print(name, repr(work()))
    except Exception as e:
        print(name, type(e).__name__, e)


show('open', lambda: open(PATH))
show('open bytes', lambda: open(b'a\0b'))
show('open to write', lambda: open(PATH, 'w'))
show('open in no mode', lambda: open(PATH, 'q'))
show('open named', lambda: open(Named()))
show('open in a folder', lambda: open('../' + PATH + '/c', 'a'))
show('open only that', lambda: open('\0'))
show('open absolute', lambda: open('/dev/null\0x'))
show('io.open', lambda: io.open(pathlib.Path(PATH), 'rb'))
for name in 'stat listdir mkdir makedirs remove unlink rmdir'.split():
    show('os.' + name, lambda: getattr(os, name)(PATH))
show('os.stat named', lambda: os.stat(Named()))
show('os.makedirs that may exist', lambda: os.makedirs(PATH, exist_ok=True))
for function in (os.rename, os.replace):
    show(function.__name__, lambda: function(PATH, 'c'))
    show(function.__name__ + ' to', lambda: function('no_such_file', PATH))
show('os.walk', lambda: list(os.walk(PATH)))
show('os.fspath', lambda: os.fspath(Named()))
for name in 'exists isfile isdir getsize getmtime realpath relpath normpath basename dirname splitext isabs expanduser split'.split():
    show('os.path.' + name, lambda: getattr(os.path, name)(PATH))
show('os.path.exists absolute', lambda: os.path.exists('/' + PATH))
show('os.path.abspath', lambda: os.path.abspath(PATH).endswith('/' + PATH))
show('os.path.relpath from', lambda: os.path.relpath('c', PATH))
show('os.path.join', lambda: os.path.join(PATH, PATH))
show('os.path.commonprefix', lambda: os.path.commonprefix([PATH, PATH + 'c']))
path = pathlib.Path(PATH)
for name in 'exists is_file is_dir stat read_text read_bytes mkdir unlink rmdir touch resolve open'.split():
    show('Path.' + name, lambda: getattr(path, name)())
show('Path.absolute', lambda: str(path.absolute()).endswith('/' + PATH))
show('Path.write_text', lambda: path.write_text('x'))
show('Path.write_bytes', lambda: path.write_bytes(b'x'))
show('Path.iterdir', lambda: list(path.iterdir()))
show('Path.glob', lambda: list(path.glob('*')))
show('Path.rglob', lambda: list(path.rglob('*')))
show('Path.rename', lambda: path.rename('c'))
show('Path.replace', lambda: path.replace('c'))
show('Path.mkdir with parents', lambda: path.mkdir(parents=True, exist_ok=True))
show('Path.unlink what may be missing', lambda: path.unlink(missing_ok=True))
show('Path.unlink missing', lambda: pathlib.Path('no_such_file').unlink(missing_ok=True))
show('parts', lambda: (path.name, path.suffix, path.stem, str(path / 'c')))
show('glob', lambda: glob.glob(PATH))
show('glob of names', lambda: glob.glob(PATH + '*'))
show('glob in it', lambda: glob.glob(PATH + '/*'))
show('rmtree', lambda: shutil.rmtree(PATH))
show('rmtree ignoring', lambda: shutil.rmtree(PATH, ignore_errors=True))
show('copy', lambda: shutil.copy(PATH, 'd'))
show('copyfile', lambda: shutil.copyfile(PATH, 'd'))
show('move', lambda: shutil.move(PATH, 'd'))
show('mkdtemp', lambda: tempfile.mkdtemp(prefix=PATH))
show('NamedTemporaryFile', lambda: tempfile.NamedTemporaryFile(prefix=PATH))
