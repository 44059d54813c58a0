# SPDX-License-Identifier: Apache-2.0
# There is no network: a file of the address's name beside the source, or in the folder that was set, is taken instead.
import os
import sys
from urllib.error import URLError
from urllib.parse import urlparse
import torch
from tqdm import tqdm

_folder = None


def set_dir(d):
    global _folder
    _folder = os.path.expanduser(d)


def get_dir():
    return _folder or os.path.join(os.path.expanduser('~'), '.cache', 'torch', 'hub')


def _local_file(url, folders, file_name=None):
    name = file_name or os.path.basename(urlparse(url).path)
    for folder in folders:
        path = os.path.join(folder, name) if folder else name
        if os.path.exists(path):
            return path
    raise URLError(f'the network is not available here; save {url} beside the source')


def load_state_dict_from_url(url, model_dir=None, map_location=None, progress=True, check_hash=False, file_name=None, weights_only=False):
    path = _local_file(url, [model_dir, '', os.path.join(get_dir(), 'checkpoints')], file_name)
    return torch.load(path, map_location=map_location)


def download_url_to_file(url, dst, hash_prefix=None, progress=True):
    raise URLError(f'the network is not available here; save {url} as {dst}')


def _hubconf(repo_or_dir, source):
    if source != 'local':
        raise URLError(f"the network is not available here; give a folder, and source='local'")
    if repo_or_dir not in sys.path:
        sys.path.insert(0, repo_or_dir)
    from importlib import import_module
    return import_module('hubconf')


def load(repo_or_dir, model, *args, source='github', trust_repo=None, force_reload=False, verbose=True, skip_validation=False, **kwargs):
    entry = getattr(_hubconf(repo_or_dir, source), model, None)
    if not callable(entry):
        raise RuntimeError(f'Cannot find callable {model} in hubconf')
    return entry(*args, **kwargs)


def list(github, force_reload=False, skip_validation=False, trust_repo=None, verbose=True, source='local'):
    module = _hubconf(github, source)
    return [name for name in dir(module) if callable(getattr(module, name)) and not name.startswith('_')]


def help(github, model, force_reload=False, skip_validation=False, trust_repo=None, source='local'):
    return getattr(_hubconf(github, source), model).__doc__


def _get_torch_home():
    return os.path.join(os.path.expanduser('~'), '.cache', 'torch')
