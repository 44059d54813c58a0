# SPDX-License-Identifier: Apache-2.0
import warnings
from torch import nn
from torchvision.models import mobilenetv3 as mobilenet, resnet
from torchvision.models._api import named_weights
from torchvision.models._utils import IntermediateLayerGetter
from torchvision.ops import misc as misc_nn_ops
from torchvision.ops.feature_pyramid_network import ExtraFPNBlock, FeaturePyramidNetwork, LastLevelMaxPool


class BackboneWithFPN(nn.Module):
    def __init__(self, backbone, return_layers, in_channels_list, out_channels, extra_blocks=None, norm_layer=None):
        super().__init__()
        if extra_blocks is None:
            extra_blocks = LastLevelMaxPool()
        self.body = IntermediateLayerGetter(backbone, return_layers=return_layers)
        self.fpn = FeaturePyramidNetwork(in_channels_list=in_channels_list, out_channels=out_channels, extra_blocks=extra_blocks,
                                         norm_layer=norm_layer)
        self.out_channels = out_channels

    def forward(self, x):
        return self.fpn(self.body(x))


def resnet_fpn_backbone(backbone_name, weights=None, norm_layer=misc_nn_ops.FrozenBatchNorm2d, trainable_layers=3, returned_layers=None,
                        extra_blocks=None, pretrained=False):
    backbone = getattr(resnet, backbone_name)(weights=weights, pretrained=pretrained, norm_layer=norm_layer)
    return _resnet_fpn_extractor(backbone, trainable_layers, returned_layers, extra_blocks)


def _resnet_fpn_extractor(backbone, trainable_layers, returned_layers=None, extra_blocks=None, norm_layer=None):
    if trainable_layers < 0 or trainable_layers > 5:
        raise ValueError(f'Trainable layers should be in the range [0,5], got {trainable_layers}')
    trained = ['layer4', 'layer3', 'layer2', 'layer1', 'conv1'][:trainable_layers] + (['bn1'] if trainable_layers == 5 else [])
    for name, parameter in backbone.named_parameters():
        if not any(name.startswith(layer) for layer in trained):
            parameter.requires_grad_(False)
    returned_layers = returned_layers or [1, 2, 3, 4]
    if min(returned_layers) <= 0 or max(returned_layers) >= 5:
        raise ValueError(f'Each returned layer should be in the range [1,4]. Got {returned_layers}')
    return_layers = {f'layer{k}': str(v) for v, k in enumerate(returned_layers)}
    channels = [backbone.inplanes // 8 * 2 ** (i - 1) for i in returned_layers]
    return BackboneWithFPN(backbone, return_layers, channels, 256, extra_blocks=extra_blocks, norm_layer=norm_layer)


def _validate_trainable_layers(is_trained, trainable_backbone_layers, max_value, default_value):
    if not is_trained:
        if trainable_backbone_layers is not None:
            warnings.warn('Changing trainable_backbone_layers has no effect if neither pretrained nor pretrained_backbone have been set to '
                          f'True, falling back to trainable_backbone_layers={max_value} so that all layers are trainable')
        trainable_backbone_layers = max_value
    if trainable_backbone_layers is None:
        trainable_backbone_layers = default_value
    if trainable_backbone_layers < 0 or trainable_backbone_layers > max_value:
        raise ValueError(f'Trainable backbone layers should be in the range [0,{max_value}], got {trainable_backbone_layers} ')
    return trainable_backbone_layers


def mobilenet_backbone(backbone_name, weights=None, fpn=True, norm_layer=misc_nn_ops.FrozenBatchNorm2d, trainable_layers=2,
                       returned_layers=None, extra_blocks=None, pretrained=False):
    backbone = getattr(mobilenet, backbone_name)(weights=weights, pretrained=pretrained, norm_layer=norm_layer)
    return _mobilenet_extractor(backbone, fpn, trainable_layers, returned_layers, extra_blocks)


def stages_of(features):
    """Where the stages of a MobileNet begin: the first layer, those that halve the size, the last."""
    return [0] + [i for i, b in enumerate(features) if getattr(b, '_is_cn', False)] + [len(features) - 1]


def freeze_stages(features, stages, trainable_layers):
    """Layers before the last stages are not trained."""
    freeze_before = len(features) if trainable_layers == 0 else stages[len(stages) - trainable_layers]
    for b in features[:freeze_before]:
        for parameter in b.parameters():
            parameter.requires_grad_(False)


def _mobilenet_extractor(backbone, fpn, trainable_layers, returned_layers=None, extra_blocks=None, norm_layer=None):
    backbone = backbone.features
    stages = stages_of(backbone)
    if trainable_layers < 0 or trainable_layers > len(stages):
        raise ValueError(f'Trainable layers should be in the range [0,{len(stages)}], got {trainable_layers} ')
    freeze_stages(backbone, stages, trainable_layers)
    out_channels = 256
    if not fpn:
        m = nn.Sequential(backbone, nn.Conv2d(backbone[-1].out_channels, out_channels, 1))
        m.out_channels = out_channels
        return m
    if returned_layers is None:
        returned_layers = [len(stages) - 2, len(stages) - 1]
    if min(returned_layers) < 0 or max(returned_layers) >= len(stages):
        raise ValueError(f'Each returned layer should be in the range [0,{len(stages) - 1}], got {returned_layers} ')
    return_layers = {f'{stages[k]}': str(v) for v, k in enumerate(returned_layers)}
    channels = [backbone[stages[i]].out_channels for i in returned_layers]
    return BackboneWithFPN(backbone, return_layers, channels, out_channels, extra_blocks=extra_blocks, norm_layer=norm_layer)


def resnet50_of(weights, weights_backbone, trainable_backbone_layers, pretrained=False, pretrained_backbone=None, frozen=True):
    """ResNet-50 under a detector, with how many of its layers are trained. Statistics are frozen where anything is trained already."""
    if pretrained_backbone is not None:
        weights_backbone = named_weights('ResNet50_Weights').IMAGENET1K_V1 if pretrained_backbone else None
    has_weights = weights is not None or pretrained
    if has_weights:
        weights_backbone = None
    is_trained = has_weights or weights_backbone is not None
    layers = _validate_trainable_layers(is_trained, trainable_backbone_layers, 5, 3)
    options = {'norm_layer': misc_nn_ops.FrozenBatchNorm2d if is_trained else nn.BatchNorm2d} if frozen else {}
    return resnet.resnet50(weights=weights_backbone, **options), layers
