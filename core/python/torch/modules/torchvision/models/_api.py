# SPDX-License-Identifier: Apache-2.0
# Names of trained weights. There is no network: a file beside the source, or in torch.hub's folder, is loaded, else the model
# keeps its first values, with a warning.
import warnings


class WeightsEnum:
    def __init__(self, name):
        self._name = name
        self.meta = {'categories': [], 'num_params': 0}
        self.url = name + '.pth'

    def get_state_dict(self, *args, **kwargs):
        from torch.hub import load_state_dict_from_url
        return load_state_dict_from_url(self.url)

    def transforms(self, *args, **kwargs):
        from torchvision.transforms import Compose, ConvertImageDtype, CenterCrop, Normalize, Resize
        import torch
        return Compose([Resize(256), CenterCrop(224), ConvertImageDtype(torch.float),
                        Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])])

    def __repr__(self):
        return self._name


Weights = WeightsEnum


class WeightsFamily:
    """ResNet50_Weights: every name of it is a set of weights."""

    def __init__(self, name):
        self._name = name

    def __getattr__(self, name):
        if name.startswith('_'):
            raise AttributeError(name)
        made = WeightsEnum(f'{self._name}.{name}')
        self.__dict__[name] = made
        return made

    def __getitem__(self, name):
        return getattr(self, name)

    verify = __getitem__


def named_weights(name):
    if not name.endswith('_Weights'):
        raise AttributeError(f"module 'torchvision.models' has no attribute {name!r}")
    return WeightsFamily(name)


def with_weights(model, weights, pretrained=False, then=None):
    """The model with the weights, where they are here; then() is called when they were loaded."""
    wanted = weights if weights is not None else 'pretrained' if pretrained else None
    if wanted is None:
        return model
    try:
        from torch.hub import load_state_dict_from_url
        url = wanted.url if isinstance(wanted, WeightsEnum) else str(wanted)
        model.load_state_dict(load_state_dict_from_url(url))
        if then is not None:
            then()
    except OSError:
        warnings.warn(f'the weights {wanted} are not here, and there is no network: the model keeps its first values')
    return model
