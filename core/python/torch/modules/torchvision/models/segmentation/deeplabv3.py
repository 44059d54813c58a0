# SPDX-License-Identifier: Apache-2.0
# Rethinking Atrous Convolution for Semantic Image Segmentation (Chen et al., 2017).
import torch
from torch import nn
from torch.nn import functional as F
from torchvision.models._api import named_weights as __getattr__
from torchvision.models.segmentation._utils import _SimpleSegmentationModel, on_mobilenet, on_resnet
from torchvision.models.segmentation.fcn import FCNHead


class DeepLabV3(_SimpleSegmentationModel):
    pass


class DeepLabHead(nn.Sequential):
    def __init__(self, in_channels, num_classes, atrous_rates=(12, 24, 36)):
        super().__init__(ASPP(in_channels, atrous_rates), nn.Conv2d(256, 256, 3, padding=1, bias=False), nn.BatchNorm2d(256), nn.ReLU(),
                         nn.Conv2d(256, num_classes, 1))


class ASPPConv(nn.Sequential):
    def __init__(self, in_channels, out_channels, dilation):
        super().__init__(nn.Conv2d(in_channels, out_channels, 3, padding=dilation, dilation=dilation, bias=False),
                         nn.BatchNorm2d(out_channels), nn.ReLU())


class ASPPPooling(nn.Sequential):
    def __init__(self, in_channels, out_channels):
        super().__init__(nn.AdaptiveAvgPool2d(1), nn.Conv2d(in_channels, out_channels, 1, bias=False), nn.BatchNorm2d(out_channels),
                         nn.ReLU())

    def forward(self, x):
        size = x.shape[-2:]
        for mod in self:
            x = mod(x)
        return F.interpolate(x, size=size, mode='bilinear', align_corners=False)


class ASPP(nn.Module):
    def __init__(self, in_channels, atrous_rates, out_channels=256):
        super().__init__()
        first = nn.Sequential(nn.Conv2d(in_channels, out_channels, 1, bias=False), nn.BatchNorm2d(out_channels), nn.ReLU())
        self.convs = nn.ModuleList([first] + [ASPPConv(in_channels, out_channels, rate) for rate in atrous_rates]
                                   + [ASPPPooling(in_channels, out_channels)])
        self.project = nn.Sequential(nn.Conv2d(len(self.convs) * out_channels, out_channels, 1, bias=False),
                                     nn.BatchNorm2d(out_channels), nn.ReLU(), nn.Dropout(0.5))

    def forward(self, x):
        return self.project(torch.cat([conv(x) for conv in self.convs], dim=1))


def _deeplabv3(backbone, channels, early_channels, num_classes, aux):
    aux_classifier = FCNHead(early_channels, num_classes) if aux else None
    return DeepLabV3(backbone, DeepLabHead(channels, num_classes), aux_classifier)


deeplabv3_resnet50 = on_resnet('resnet50', 'ResNet50_Weights', _deeplabv3)
deeplabv3_resnet101 = on_resnet('resnet101', 'ResNet101_Weights', _deeplabv3)
deeplabv3_mobilenet_v3_large = on_mobilenet(_deeplabv3, 'aux')
