# SPDX-License-Identifier: Apache-2.0
class _StorageInfo:
    def __init__(self, relative_path, offset, length, transform_descriptors=None):
        self.relative_path = relative_path
        self.offset = offset
        self.length = length
        self.transform_descriptors = transform_descriptors


class _Storage:
    def __init__(self, path, *args, **kwargs):
        self.path = path


class FileSystemWriter(_Storage):
    pass


class FileSystemReader(_Storage):
    pass
