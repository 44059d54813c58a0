# SPDX-License-Identifier: Apache-2.0
# SSDLite: SSD of separable convolutions (Sandler et al., 2018), on MobileNetV3 (Howard et al., 2019).
import warnings
from collections import OrderedDict
from functools import partial
from torch import nn
from torchvision.models import mobilenetv3
from torchvision.models._api import named_weights, with_weights
from torchvision.models.detection import _utils as det_utils
from torchvision.models.detection.anchor_utils import DefaultBoxGenerator
from torchvision.models.detection.backbone_utils import _validate_trainable_layers, freeze_stages, stages_of
from torchvision.models.detection.ssd import SSD, SSDScoringHead
from torchvision.ops.misc import Conv2dNormActivation

__getattr__ = named_weights


def _prediction_block(in_channels, out_channels, kernel_size, norm_layer):
    return nn.Sequential(Conv2dNormActivation(in_channels, in_channels, kernel_size=kernel_size, groups=in_channels,
                                              norm_layer=norm_layer, activation_layer=nn.ReLU6),
                         nn.Conv2d(in_channels, out_channels, 1))


def _extra_block(in_channels, out_channels, norm_layer):
    inner = out_channels // 2
    layer = partial(Conv2dNormActivation, norm_layer=norm_layer, activation_layer=nn.ReLU6)
    return nn.Sequential(layer(in_channels, inner, kernel_size=1), layer(inner, inner, kernel_size=3, stride=2, groups=inner),
                         layer(inner, out_channels, kernel_size=1))


def _normal_init(module):
    det_utils.init_convolutions(module, partial(nn.init.normal_, mean=0.0, std=0.03))


class SSDLiteHead(nn.Module):
    def __init__(self, in_channels, num_anchors, num_classes, norm_layer):
        super().__init__()
        self.classification_head = SSDLiteClassificationHead(in_channels, num_anchors, num_classes, norm_layer)
        self.regression_head = SSDLiteRegressionHead(in_channels, num_anchors, norm_layer)

    def forward(self, x):
        return {'bbox_regression': self.regression_head(x), 'cls_logits': self.classification_head(x)}


def _columns(in_channels, num_anchors, columns, norm_layer):
    layers = nn.ModuleList([_prediction_block(channels, columns * anchors, 3, norm_layer)
                            for channels, anchors in zip(in_channels, num_anchors)])
    _normal_init(layers)
    return layers


class SSDLiteClassificationHead(SSDScoringHead):
    def __init__(self, in_channels, num_anchors, num_classes, norm_layer):
        super().__init__(_columns(in_channels, num_anchors, num_classes, norm_layer), num_classes)


class SSDLiteRegressionHead(SSDScoringHead):
    def __init__(self, in_channels, num_anchors, norm_layer):
        super().__init__(_columns(in_channels, num_anchors, 4, norm_layer), 4)


class SSDLiteFeatureExtractorMobileNet(nn.Module):
    def __init__(self, backbone, c4_pos, norm_layer, width_mult=1.0, min_depth=16):
        super().__init__()
        if backbone[c4_pos].use_res_connect:
            raise ValueError('backbone[c4_pos].use_res_connect should be False')
        # The fourth stage's block is cut behind its expansion.
        self.features = nn.Sequential(nn.Sequential(*backbone[:c4_pos], backbone[c4_pos].block[0]),
                                      nn.Sequential(backbone[c4_pos].block[1:], *backbone[c4_pos + 1:]))
        channels = [backbone[-1].out_channels] + [max(min_depth, int(d * width_mult)) for d in (512, 256, 256, 128)]
        extra = nn.ModuleList([_extra_block(a, b, norm_layer) for a, b in zip(channels, channels[1:])])
        _normal_init(extra)
        self.extra = extra

    def forward(self, x):
        output = []
        for block in [*self.features, *self.extra]:
            x = block(x)
            output.append(x)
        return OrderedDict((str(i), v) for i, v in enumerate(output))


def _mobilenet_extractor(backbone, trainable_layers, norm_layer):
    backbone = backbone.features
    stages = stages_of(backbone)
    if not 0 <= trainable_layers <= len(stages):
        raise ValueError('trainable_layers should be in the range [0, {num_stages}], instead got {trainable_layers}')
    freeze_stages(backbone, stages, trainable_layers)
    return SSDLiteFeatureExtractorMobileNet(backbone, stages[-2], norm_layer)


_MOBILENET = named_weights('MobileNet_V3_Large_Weights').IMAGENET1K_V1


def ssdlite320_mobilenet_v3_large(*, weights=None, progress=True, num_classes=None, weights_backbone=_MOBILENET,
                                  trainable_backbone_layers=None, norm_layer=None, pretrained=False, pretrained_backbone=None, **kwargs):
    if 'size' in kwargs:
        warnings.warn('The size of the model is already fixed; ignoring the parameter.')
    if pretrained_backbone is not None:
        weights_backbone = _MOBILENET if pretrained_backbone else None
    has_weights = weights is not None or pretrained
    if has_weights:
        weights_backbone = None
    layers = _validate_trainable_layers(has_weights or weights_backbone is not None, trainable_backbone_layers, 6, 6)
    norm_layer = norm_layer or partial(nn.BatchNorm2d, eps=0.001, momentum=0.03)
    # A backbone without weights of its own is halved at its end.
    backbone = mobilenetv3.mobilenet_v3_large(weights=weights_backbone, norm_layer=norm_layer, reduced_tail=weights_backbone is None,
                                              **kwargs)
    if weights_backbone is None:
        _normal_init(backbone)
    backbone = _mobilenet_extractor(backbone, layers, norm_layer)
    size = (320, 320)
    anchors = DefaultBoxGenerator([[2, 3] for _ in range(6)], min_ratio=0.2, max_ratio=0.95)
    channels = det_utils.retrieve_out_channels(backbone, size)
    num_classes = 91 if num_classes is None else num_classes
    defaults = {'score_thresh': 0.001, 'nms_thresh': 0.55, 'detections_per_img': 300, 'topk_candidates': 300,
                'image_mean': [0.5, 0.5, 0.5], 'image_std': [0.5, 0.5, 0.5]}
    model = SSD(backbone, anchors, size, num_classes,
                head=SSDLiteHead(channels, anchors.num_anchors_per_location(), num_classes, norm_layer), **{**defaults, **kwargs})
    return with_weights(model, weights, pretrained)
