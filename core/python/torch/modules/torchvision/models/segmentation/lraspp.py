# SPDX-License-Identifier: Apache-2.0
# Searching for MobileNetV3 (Howard et al., 2019): Lite R-ASPP.
from collections import OrderedDict
from torch import nn
from torch.nn import functional as F
from torchvision.models._api import named_weights as __getattr__
from torchvision.models.segmentation._utils import on_mobilenet


class LRASPP(nn.Module):
    def __init__(self, backbone, low_channels, high_channels, num_classes, inter_channels=128):
        super().__init__()
        self.backbone = backbone
        self.classifier = LRASPPHead(low_channels, high_channels, num_classes, inter_channels)

    def forward(self, input):
        out = self.classifier(self.backbone(input))
        return OrderedDict(out=F.interpolate(out, size=input.shape[-2:], mode='bilinear', align_corners=False))


class LRASPPHead(nn.Module):
    def __init__(self, low_channels, high_channels, num_classes, inter_channels):
        super().__init__()
        self.cbr = nn.Sequential(nn.Conv2d(high_channels, inter_channels, 1, bias=False), nn.BatchNorm2d(inter_channels),
                                 nn.ReLU(inplace=True))
        self.scale = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(high_channels, inter_channels, 1, bias=False), nn.Sigmoid())
        self.low_classifier = nn.Conv2d(low_channels, num_classes, 1)
        self.high_classifier = nn.Conv2d(inter_channels, num_classes, 1)

    def forward(self, input):
        low, high = input['low'], input['high']
        x = self.cbr(high) * self.scale(high)
        x = F.interpolate(x, size=low.shape[-2:], mode='bilinear', align_corners=False)
        return self.low_classifier(low) + self.high_classifier(x)


lraspp_mobilenet_v3_large = on_mobilenet(lambda backbone, high, low, num_classes, aux: LRASPP(backbone, low, high, num_classes), 'low')
