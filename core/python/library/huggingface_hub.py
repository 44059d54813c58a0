# SPDX-License-Identifier: Apache-2.0
# There is no network: the mixin of a model adds its names, and what would fetch says so.
__version__ = '0.34.0'


def _refuse(*args, **kwargs):
    raise OSError('the network is not available here; save the files beside the source')


class ModelHubMixin:
    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__()

    @classmethod
    def from_pretrained(cls, *args, **kwargs):
        _refuse()

    def save_pretrained(self, *args, **kwargs):
        _refuse()

    push_to_hub = save_pretrained


class PyTorchModelHubMixin(ModelHubMixin):
    pass


hf_hub_download = snapshot_download = hf_hub_url = create_repo = upload_folder = upload_file = login = _refuse


class HfApi:
    def __getattr__(self, name):
        return _refuse


class ModelCard:
    def __init__(self, content=''):
        self.content = content


class ModelCardData:
    def __init__(self, **kwargs):
        pass
