# SPDX-License-Identifier: Apache-2.0
# FCOS: Fully Convolutional One-Stage Object Detection (Tian et al., 2019).
import math
from functools import partial
import torch
import torch.nn.functional as F
from torch import nn
from torchvision.models._api import named_weights, with_weights
from torchvision.models.detection import _utils as det_utils
from torchvision.models.detection.anchor_utils import AnchorGenerator
from torchvision.models.detection.backbone_utils import _resnet_fpn_extractor, resnet50_of
from torchvision.models.detection.dense import LevelDetector, check_backbone
from torchvision.models.detection.faster_rcnn import MEAN, STD
from torchvision.models.detection.rpn import permute_and_flatten
from torchvision.models.detection.transform import GeneralizedRCNNTransform
from torchvision.ops import generalized_box_iou_loss, sigmoid_focal_loss
from torchvision.ops.feature_pyramid_network import LastLevelP6P7

__getattr__ = named_weights


class FCOSHead(nn.Module):
    def __init__(self, in_channels, num_anchors, num_classes, num_convs=4):
        super().__init__()
        self.box_coder = det_utils.BoxLinearCoder(normalize_by_size=True)
        self.classification_head = FCOSClassificationHead(in_channels, num_anchors, num_classes, num_convs)
        self.regression_head = FCOSRegressionHead(in_channels, num_anchors, num_convs)

    def compute_loss(self, targets, head_outputs, anchors, matched_idxs):
        classes, boxes = [], []
        for target, matched in zip(targets, matched_idxs):
            if len(target['labels']) == 0:
                labels = target['labels'].new_zeros((len(matched),))
                boxes.append(target['boxes'].new_zeros((len(matched), 4)))
            else:
                labels = target['labels'][matched.clip(min=0)]
                boxes.append(target['boxes'][matched.clip(min=0)])
            labels[matched < 0] = -1
            classes.append(labels)
        classes, boxes, anchors = torch.stack(classes), torch.stack(boxes), torch.stack(anchors)
        foreground = classes >= 0
        count = max(1, foreground.sum().item())
        cls_logits = head_outputs['cls_logits']
        wanted = torch.zeros_like(cls_logits)
        wanted[foreground, classes[foreground]] = 1.0
        found = self.box_coder.decode(head_outputs['bbox_regression'], anchors)
        offsets = self.box_coder.encode(anchors, boxes)
        if len(offsets) == 0:
            centered = offsets.new_zeros(offsets.size()[:-1])
        else:
            across, down = offsets[:, :, [0, 2]], offsets[:, :, [1, 3]]
            centered = torch.sqrt((across.min(dim=-1)[0] / across.max(dim=-1)[0]) * (down.min(dim=-1)[0] / down.max(dim=-1)[0]))
        center_logits = head_outputs['bbox_ctrness'].squeeze(dim=2)
        return {'classification': sigmoid_focal_loss(cls_logits, wanted, reduction='sum') / count,
                'bbox_regression': generalized_box_iou_loss(found[foreground], boxes[foreground], reduction='sum') / count,
                'bbox_ctrness': F.binary_cross_entropy_with_logits(center_logits[foreground], centered[foreground],
                                                                   reduction='sum') / count}

    def forward(self, x):
        cls_logits = self.classification_head(x)
        bbox_regression, bbox_ctrness = self.regression_head(x)
        return {'cls_logits': cls_logits, 'bbox_regression': bbox_regression, 'bbox_ctrness': bbox_ctrness}


def _convolutions(in_channels, num_convs, norm_layer):
    norm_layer = norm_layer or partial(nn.GroupNorm, 32)
    layers = []
    for _ in range(num_convs):
        layers += [nn.Conv2d(in_channels, in_channels, kernel_size=3, stride=1, padding=1), norm_layer(in_channels), nn.ReLU()]
    return nn.Sequential(*layers)


def _init(module):
    det_utils.init_convolutions(module, partial(nn.init.normal_, std=0.01))


def _rows(found, columns):
    N, _, H, W = found.shape
    return permute_and_flatten(found, N, 0, columns, H, W)


class FCOSClassificationHead(nn.Module):
    def __init__(self, in_channels, num_anchors, num_classes, num_convs=4, prior_probability=0.01, norm_layer=None):
        super().__init__()
        self.num_classes = num_classes
        self.num_anchors = num_anchors
        self.conv = _convolutions(in_channels, num_convs, norm_layer)
        _init(self.conv)
        self.cls_logits = nn.Conv2d(in_channels, num_anchors * num_classes, kernel_size=3, stride=1, padding=1)
        nn.init.normal_(self.cls_logits.weight, std=0.01)
        nn.init.constant_(self.cls_logits.bias, -math.log((1 - prior_probability) / prior_probability))

    def forward(self, x):
        return torch.cat([_rows(self.cls_logits(self.conv(features)), self.num_classes) for features in x], dim=1)


class FCOSRegressionHead(nn.Module):
    """Distances to the four sides, and how far in the middle of its box a place is."""

    def __init__(self, in_channels, num_anchors, num_convs=4, norm_layer=None):
        super().__init__()
        self.conv = _convolutions(in_channels, num_convs, norm_layer)
        self.bbox_reg = nn.Conv2d(in_channels, num_anchors * 4, kernel_size=3, stride=1, padding=1)
        self.bbox_ctrness = nn.Conv2d(in_channels, num_anchors * 1, kernel_size=3, stride=1, padding=1)
        for module in (self.bbox_reg, self.bbox_ctrness, self.conv):
            _init(module)

    def forward(self, x):
        regression, centered = [], []
        for features in x:
            features = self.conv(features)
            regression.append(_rows(F.relu(self.bbox_reg(features)), 4))
            centered.append(_rows(self.bbox_ctrness(features), 1))
        return torch.cat(regression, dim=1), torch.cat(centered, dim=1)


class FCOS(LevelDetector):
    says_shape = True

    def __init__(self, backbone, num_classes, min_size=800, max_size=1333, image_mean=None, image_std=None, anchor_generator=None,
                 head=None, center_sampling_radius=1.5, score_thresh=0.2, nms_thresh=0.6, detections_per_img=100, topk_candidates=1000,
                 **kwargs):
        super().__init__()
        check_backbone(backbone)
        self.backbone = backbone
        if not isinstance(anchor_generator, (AnchorGenerator, type(None))):
            raise TypeError(f'anchor_generator should be of type AnchorGenerator or None, instead  got {type(anchor_generator)}')
        if anchor_generator is None:
            # One anchor a place, as large as the step of its level.
            anchor_generator = AnchorGenerator(((8,), (16,), (32,), (64,), (128,)), ((1.0,),) * 5)
        self.anchor_generator = anchor_generator
        anchors = anchor_generator.num_anchors_per_location()[0]
        if anchors != 1:
            raise ValueError(f'anchor_generator.num_anchors_per_location()[0] should be 1 instead of {anchors}')
        self.head = head if head is not None else FCOSHead(backbone.out_channels, anchors, num_classes)
        self.box_coder = det_utils.BoxLinearCoder(normalize_by_size=True)
        self.transform = GeneralizedRCNNTransform(min_size, max_size, image_mean or MEAN, image_std or STD, **kwargs)
        self.center_sampling_radius = center_sampling_radius
        self.score_thresh = score_thresh
        self.nms_thresh = nms_thresh
        self.detections_per_img = detections_per_img
        self.topk_candidates = topk_candidates
        self._has_warned = False

    def _matches(self, boxes, anchors, places):
        """Of each anchor the smallest box that it is near the middle of, in, and of the size of its level; -1: there is none."""
        if boxes.numel() == 0:
            return torch.full((anchors.size(0),), -1, dtype=torch.int64, device=anchors.device)
        centers, own = (boxes[:, :2] + boxes[:, 2:]) / 2, (anchors[:, :2] + anchors[:, 2:]) / 2
        sizes = anchors[:, 2] - anchors[:, 0]
        fits = (own[:, None, :] - centers[None, :, :]).abs_().max(dim=2).values < self.center_sampling_radius * sizes[:, None]
        x, y = own.unsqueeze(dim=2).unbind(dim=1)
        x0, y0, x1, y1 = boxes.unsqueeze(dim=0).unbind(dim=2)
        distances = torch.stack([x - x0, y - y0, x1 - x, y1 - y], dim=2)
        fits &= distances.min(dim=2).values > 0
        least, most = sizes * 4, sizes * 8
        least[:places[0]] = 0
        most[-places[-1]:] = float('inf')
        farthest = distances.max(dim=2).values
        fits &= (farthest > least[:, None]) & (farthest < most[:, None])
        areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
        best, matched = (fits.to(torch.float32) * (1e8 - areas[None, :])).max(dim=1)
        matched[best < 1e-5] = -1
        return matched

    def compute_loss(self, targets, head_outputs, anchors, num_anchors_per_level):
        matched = [self._matches(target['boxes'], own, num_anchors_per_level) for own, target in zip(anchors, targets)]
        return self.head.compute_loss(targets, head_outputs, anchors, matched)

    losses_of = compute_loss

    def scores_of(self, outputs):
        return torch.sqrt(torch.sigmoid(outputs['cls_logits']) * torch.sigmoid(outputs['bbox_ctrness']))

    def boxes_of(self, regression, anchors):
        return self.box_coder.decode(regression, anchors)


def fcos_resnet50_fpn(*, weights=None, progress=True, num_classes=None, weights_backbone=named_weights('ResNet50_Weights').IMAGENET1K_V1,
                      trainable_backbone_layers=None, pretrained=False, pretrained_backbone=None, **kwargs):
    backbone, layers = resnet50_of(weights, weights_backbone, trainable_backbone_layers, pretrained, pretrained_backbone)
    backbone = _resnet_fpn_extractor(backbone, layers, returned_layers=[2, 3, 4], extra_blocks=LastLevelP6P7(256, 256))
    return with_weights(FCOS(backbone, 91 if num_classes is None else num_classes, **kwargs), weights, pretrained)
