# SPDX-License-Identifier: Apache-2.0
CUDA_HOME = None


def _refuse(*args, **kwargs):
    raise RuntimeError('extensions are not compiled from a model source')


class _Uncompiled:
    """What load() gives: an extension whose first use fails."""

    def __init__(self, name):
        self.__dict__['_name'] = name

    def __getattr__(self, name):
        raise RuntimeError(f'{self._name}.{name}: extensions are not compiled from a model source')


def load(name, sources=None, *args, **kwargs):
    return _Uncompiled(name)


load_inline = load
CUDAExtension = CppExtension = BuildExtension = _refuse
