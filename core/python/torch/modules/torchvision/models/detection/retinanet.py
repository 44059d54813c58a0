# SPDX-License-Identifier: Apache-2.0
# Focal Loss for Dense Object Detection (Lin et al., 2017).
import math
from functools import partial
import torch
from torch import nn
from torchvision.models._api import named_weights, with_weights
from torchvision.models.detection import _utils as det_utils
from torchvision.models.detection._utils import _box_loss, _sum, overwrite_eps
from torchvision.models.detection.anchor_utils import AnchorGenerator
from torchvision.models.detection.backbone_utils import _resnet_fpn_extractor, resnet50_of
from torchvision.models.detection.dense import LevelDetector, check_backbone
from torchvision.models.detection.faster_rcnn import MEAN, STD
from torchvision.models.detection.rpn import permute_and_flatten
from torchvision.models.detection.transform import GeneralizedRCNNTransform
from torchvision.ops import misc as misc_nn_ops, sigmoid_focal_loss
from torchvision.ops.feature_pyramid_network import LastLevelP6P7

__getattr__ = named_weights


def _v1_to_v2_weights(state_dict, prefix):
    for i in range(4):
        for kind in ('weight', 'bias'):
            old = f'{prefix}conv.{2 * i}.{kind}'
            if old in state_dict:
                state_dict[f'{prefix}conv.{i}.0.{kind}'] = state_dict.pop(old)


def _default_anchorgen():
    sizes = tuple((x, int(x * 2 ** (1.0 / 3)), int(x * 2 ** (2.0 / 3))) for x in [32, 64, 128, 256, 512])
    return AnchorGenerator(sizes, ((0.5, 1.0, 2.0),) * len(sizes))


class RetinaNetHead(nn.Module):
    def __init__(self, in_channels, num_anchors, num_classes, norm_layer=None):
        super().__init__()
        self.classification_head = RetinaNetClassificationHead(in_channels, num_anchors, num_classes, norm_layer=norm_layer)
        self.regression_head = RetinaNetRegressionHead(in_channels, num_anchors, norm_layer=norm_layer)

    def compute_loss(self, targets, head_outputs, anchors, matched_idxs):
        return {'classification': self.classification_head.compute_loss(targets, head_outputs, matched_idxs),
                'bbox_regression': self.regression_head.compute_loss(targets, head_outputs, anchors, matched_idxs)}

    def forward(self, x):
        return {'cls_logits': self.classification_head(x), 'bbox_regression': self.regression_head(x)}


class _Head(nn.Module):
    _version = 2

    def __init__(self, in_channels, norm_layer):
        super().__init__()
        self.conv = nn.Sequential(*[misc_nn_ops.Conv2dNormActivation(in_channels, in_channels, norm_layer=norm_layer) for _ in range(4)])

    def _init_conv(self):
        det_utils.init_convolutions(self.conv, lambda weight: nn.init.normal_(weight, std=0.01))

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, *others):
        if local_metadata.get('version', None) in (None, 1):
            _v1_to_v2_weights(state_dict, prefix)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *others)

    def _all_levels(self, x, last, columns):
        out = []
        for features in x:
            found = last(self.conv(features))
            N, _, H, W = found.shape
            out.append(permute_and_flatten(found, N, 0, columns, H, W))
        return torch.cat(out, dim=1)


class RetinaNetClassificationHead(_Head):
    def __init__(self, in_channels, num_anchors, num_classes, prior_probability=0.01, norm_layer=None):
        super().__init__(in_channels, norm_layer)
        self._init_conv()
        self.cls_logits = nn.Conv2d(in_channels, num_anchors * num_classes, kernel_size=3, stride=1, padding=1)
        nn.init.normal_(self.cls_logits.weight, std=0.01)
        nn.init.constant_(self.cls_logits.bias, -math.log((1 - prior_probability) / prior_probability))
        self.num_classes = num_classes
        self.num_anchors = num_anchors
        self.BETWEEN_THRESHOLDS = det_utils.Matcher.BETWEEN_THRESHOLDS

    def compute_loss(self, targets, head_outputs, matched_idxs):
        losses = []
        for target, logits, matched in zip(targets, head_outputs['cls_logits'], matched_idxs):
            foreground = matched >= 0
            wanted = torch.zeros_like(logits)
            wanted[foreground, target['labels'][matched[foreground]]] = 1.0
            valid = matched != self.BETWEEN_THRESHOLDS
            losses.append(sigmoid_focal_loss(logits[valid], wanted[valid], reduction='sum') / max(1, foreground.sum()))
        return _sum(losses) / len(targets)

    def forward(self, x):
        return self._all_levels(x, self.cls_logits, self.num_classes)


class RetinaNetRegressionHead(_Head):
    def __init__(self, in_channels, num_anchors, norm_layer=None):
        super().__init__(in_channels, norm_layer)
        self.bbox_reg = nn.Conv2d(in_channels, num_anchors * 4, kernel_size=3, stride=1, padding=1)
        nn.init.normal_(self.bbox_reg.weight, std=0.01)
        nn.init.zeros_(self.bbox_reg.bias)
        self._init_conv()
        self.box_coder = det_utils.BoxCoder(weights=(1.0, 1.0, 1.0, 1.0))
        self._loss_type = 'l1'

    def compute_loss(self, targets, head_outputs, anchors, matched_idxs):
        losses = []
        for target, regression, anchor, matched in zip(targets, head_outputs['bbox_regression'], anchors, matched_idxs):
            foreground = torch.where(matched >= 0)[0]
            losses.append(_box_loss(self._loss_type, self.box_coder, anchor[foreground, :], target['boxes'][matched[foreground]],
                                    regression[foreground, :]) / max(1, foreground.numel()))
        return _sum(losses) / max(1, len(targets))

    def forward(self, x):
        return self._all_levels(x, self.bbox_reg, 4)


class RetinaNet(LevelDetector):
    says_shape = False

    def __init__(self, backbone, num_classes, min_size=800, max_size=1333, image_mean=None, image_std=None, anchor_generator=None,
                 head=None, proposal_matcher=None, score_thresh=0.05, nms_thresh=0.5, detections_per_img=300, fg_iou_thresh=0.5,
                 bg_iou_thresh=0.4, topk_candidates=1000, **kwargs):
        super().__init__()
        check_backbone(backbone)
        self.backbone = backbone
        if not isinstance(anchor_generator, (AnchorGenerator, type(None))):
            raise TypeError(f'anchor_generator should be of type AnchorGenerator or None instead of {type(anchor_generator)}')
        self.anchor_generator = anchor_generator if anchor_generator is not None else _default_anchorgen()
        if head is None:
            head = RetinaNetHead(backbone.out_channels, self.anchor_generator.num_anchors_per_location()[0], num_classes)
        self.head = head
        if proposal_matcher is None:
            proposal_matcher = det_utils.Matcher(fg_iou_thresh, bg_iou_thresh, allow_low_quality_matches=True)
        self.proposal_matcher = proposal_matcher
        self.box_coder = det_utils.BoxCoder(weights=(1.0, 1.0, 1.0, 1.0))
        self.transform = GeneralizedRCNNTransform(min_size, max_size, image_mean or MEAN, image_std or STD, **kwargs)
        self.score_thresh = score_thresh
        self.nms_thresh = nms_thresh
        self.detections_per_img = detections_per_img
        self.topk_candidates = topk_candidates
        self._has_warned = False

    def compute_loss(self, targets, head_outputs, anchors):
        matched_idxs = det_utils.matches_of(self.proposal_matcher, anchors, targets)
        return self.head.compute_loss(targets, head_outputs, anchors, matched_idxs)

    def losses_of(self, targets, head_outputs, anchors, places):
        return self.compute_loss(targets, head_outputs, anchors)

    def scores_of(self, outputs):
        return torch.sigmoid(outputs['cls_logits'])

    def boxes_of(self, regression, anchors):
        return self.box_coder.decode_single(regression, anchors)


def retinanet_resnet50_fpn(*, weights=None, progress=True, num_classes=None,
                           weights_backbone=named_weights('ResNet50_Weights').IMAGENET1K_V1, trainable_backbone_layers=None,
                           pretrained=False, pretrained_backbone=None, **kwargs):
    backbone, layers = resnet50_of(weights, weights_backbone, trainable_backbone_layers, pretrained, pretrained_backbone)
    # The extra levels are made of the fifth stage's output of the pyramid.
    backbone = _resnet_fpn_extractor(backbone, layers, returned_layers=[2, 3, 4], extra_blocks=LastLevelP6P7(256, 256))
    model = RetinaNet(backbone, 91 if num_classes is None else num_classes, **kwargs)
    return with_weights(model, weights, pretrained, then=lambda: overwrite_eps(model, 0.0))


def retinanet_resnet50_fpn_v2(*, weights=None, progress=True, num_classes=None, weights_backbone=None, trainable_backbone_layers=None,
                              pretrained=False, pretrained_backbone=None, **kwargs):
    backbone, layers = resnet50_of(weights, weights_backbone, trainable_backbone_layers, pretrained, pretrained_backbone, frozen=False)
    backbone = _resnet_fpn_extractor(backbone, layers, returned_layers=[2, 3, 4], extra_blocks=LastLevelP6P7(2048, 256))
    anchors = _default_anchorgen()
    num_classes = 91 if num_classes is None else num_classes
    head = RetinaNetHead(backbone.out_channels, anchors.num_anchors_per_location()[0], num_classes,
                         norm_layer=partial(nn.GroupNorm, 32))
    head.regression_head._loss_type = 'giou'
    return with_weights(RetinaNet(backbone, num_classes, anchor_generator=anchors, head=head, **kwargs), weights, pretrained)
