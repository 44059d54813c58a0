# SPDX-License-Identifier: Apache-2.0
# What models take from torchvision 0.29: layers and operators, classification models, transforms of tensors.
__version__ = '0.29.0'


def set_image_backend(backend):
    pass


def get_image_backend():
    return 'PIL'


def disable_beta_transforms_warning():
    pass
