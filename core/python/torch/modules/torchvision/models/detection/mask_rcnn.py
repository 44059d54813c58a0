# SPDX-License-Identifier: Apache-2.0
# Mask R-CNN (He et al., 2017).
from collections import OrderedDict
from torch import nn
from torchvision.models._api import named_weights, with_weights
from torchvision.models.detection._utils import init_convolutions, overwrite_eps
from torchvision.models.detection.backbone_utils import _resnet_fpn_extractor, resnet50_of
from torchvision.models.detection.faster_rcnn import FasterRCNN, FastRCNNConvFCHead, _default_anchorgen
from torchvision.models.detection.rpn import RPNHead
from torchvision.ops import MultiScaleRoIAlign, misc as misc_nn_ops

__getattr__ = named_weights


class MaskRCNN(FasterRCNN):
    def __init__(self, backbone, num_classes=None, *args, mask_roi_pool=None, mask_head=None, mask_predictor=None, **kwargs):
        if not isinstance(mask_roi_pool, (MultiScaleRoIAlign, type(None))):
            raise TypeError(f'mask_roi_pool should be of type MultiScaleRoIAlign or None instead of {type(mask_roi_pool)}')
        if num_classes is not None and mask_predictor is not None:
            raise ValueError('num_classes should be None when mask_predictor is specified')
        if mask_roi_pool is None:
            mask_roi_pool = MultiScaleRoIAlign(featmap_names=['0', '1', '2', '3'], output_size=14, sampling_ratio=2)
        if mask_head is None:
            mask_head = MaskRCNNHeads(backbone.out_channels, (256, 256, 256, 256), 1)
        if mask_predictor is None:
            mask_predictor = MaskRCNNPredictor(256, 256, num_classes)
        super().__init__(backbone, num_classes, *args, **kwargs)
        self.roi_heads.mask_roi_pool = mask_roi_pool
        self.roi_heads.mask_head = mask_head
        self.roi_heads.mask_predictor = mask_predictor


class MaskRCNNHeads(nn.Sequential):
    _version = 2

    def __init__(self, in_channels, layers, dilation, norm_layer=None):
        blocks = []
        for features in layers:
            blocks.append(misc_nn_ops.Conv2dNormActivation(in_channels, features, kernel_size=3, stride=1, padding=dilation,
                                                           dilation=dilation, norm_layer=norm_layer))
            in_channels = features
        super().__init__(*blocks)
        init_convolutions(self, lambda weight: nn.init.kaiming_normal_(weight, mode='fan_out', nonlinearity='relu'))

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, *others):
        if local_metadata.get('version', None) in (None, 1):
            for i in range(len(self)):
                for kind in ('weight', 'bias'):
                    old = f'{prefix}mask_fcn{i + 1}.{kind}'
                    if old in state_dict:
                        state_dict[f'{prefix}{i}.0.{kind}'] = state_dict.pop(old)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *others)


class MaskRCNNPredictor(nn.Sequential):
    def __init__(self, in_channels, dim_reduced, num_classes):
        super().__init__(OrderedDict([('conv5_mask', nn.ConvTranspose2d(in_channels, dim_reduced, 2, 2, 0)),
                                      ('relu', nn.ReLU(inplace=True)),
                                      ('mask_fcn_logits', nn.Conv2d(dim_reduced, num_classes, 1, 1, 0))]))
        for name, param in self.named_parameters():
            if 'weight' in name:
                nn.init.kaiming_normal_(param, mode='fan_out', nonlinearity='relu')


_RESNET50 = named_weights('ResNet50_Weights').IMAGENET1K_V1


def maskrcnn_resnet50_fpn(*, weights=None, progress=True, num_classes=None, weights_backbone=_RESNET50, trainable_backbone_layers=None,
                          pretrained=False, pretrained_backbone=None, **kwargs):
    backbone, layers = resnet50_of(weights, weights_backbone, trainable_backbone_layers, pretrained, pretrained_backbone)
    model = MaskRCNN(_resnet_fpn_extractor(backbone, layers), num_classes=91 if num_classes is None else num_classes, **kwargs)
    return with_weights(model, weights, pretrained, then=lambda: overwrite_eps(model, 0.0))


def maskrcnn_resnet50_fpn_v2(*, weights=None, progress=True, num_classes=None, weights_backbone=None, trainable_backbone_layers=None,
                             pretrained=False, pretrained_backbone=None, **kwargs):
    backbone, layers = resnet50_of(weights, weights_backbone, trainable_backbone_layers, pretrained, pretrained_backbone, frozen=False)
    backbone = _resnet_fpn_extractor(backbone, layers, norm_layer=nn.BatchNorm2d)
    anchors = _default_anchorgen()
    channels = backbone.out_channels
    model = MaskRCNN(backbone, num_classes=91 if num_classes is None else num_classes, rpn_anchor_generator=anchors,
                     rpn_head=RPNHead(channels, anchors.num_anchors_per_location()[0], conv_depth=2),
                     box_head=FastRCNNConvFCHead((channels, 7, 7), [256, 256, 256, 256], [1024], norm_layer=nn.BatchNorm2d),
                     mask_head=MaskRCNNHeads(channels, [256, 256, 256, 256], 1, norm_layer=nn.BatchNorm2d), **kwargs)
    return with_weights(model, weights, pretrained)
