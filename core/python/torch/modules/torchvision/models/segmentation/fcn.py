# SPDX-License-Identifier: Apache-2.0
# Fully Convolutional Networks for Semantic Segmentation (Long et al., 2015).
from torch import nn
from torchvision.models._api import named_weights as __getattr__
from torchvision.models.segmentation._utils import _SimpleSegmentationModel, on_resnet


class FCN(_SimpleSegmentationModel):
    pass


class FCNHead(nn.Sequential):
    def __init__(self, in_channels, channels):
        inter = in_channels // 4
        super().__init__(nn.Conv2d(in_channels, inter, 3, padding=1, bias=False), nn.BatchNorm2d(inter), nn.ReLU(), nn.Dropout(0.1),
                         nn.Conv2d(inter, channels, 1))


def _fcn(backbone, channels, early_channels, num_classes, aux):
    aux_classifier = FCNHead(early_channels, num_classes) if aux else None
    return FCN(backbone, FCNHead(channels, num_classes), aux_classifier)


fcn_resnet50 = on_resnet('resnet50', 'ResNet50_Weights', _fcn)
fcn_resnet101 = on_resnet('resnet101', 'ResNet101_Weights', _fcn)
