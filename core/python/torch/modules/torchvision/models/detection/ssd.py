# SPDX-License-Identifier: Apache-2.0
# SSD: Single Shot MultiBox Detector (Liu et al., 2016).
import warnings
from collections import OrderedDict
import torch
import torch.nn.functional as F
from torch import nn
from torchvision.models import vgg
from torchvision.models._api import named_weights, with_weights
from torchvision.models.detection import _utils as det_utils
from torchvision.models.detection.anchor_utils import DefaultBoxGenerator
from torchvision.models.detection.backbone_utils import _validate_trainable_layers, freeze_stages
from torchvision.models.detection.faster_rcnn import MEAN, STD
from torchvision.models.detection.rpn import permute_and_flatten
from torchvision.models.detection.transform import GeneralizedRCNNTransform
from torchvision.ops import boxes as box_ops

__getattr__ = named_weights


def _xavier_init(conv):
    det_utils.init_convolutions(conv, nn.init.xavier_uniform_)


class SSDHead(nn.Module):
    def __init__(self, in_channels, num_anchors, num_classes):
        super().__init__()
        self.classification_head = SSDClassificationHead(in_channels, num_anchors, num_classes)
        self.regression_head = SSDRegressionHead(in_channels, num_anchors)

    def forward(self, x):
        return {'bbox_regression': self.regression_head(x), 'cls_logits': self.classification_head(x)}


class SSDScoringHead(nn.Module):
    def __init__(self, module_list, num_columns):
        super().__init__()
        self.module_list = module_list
        self.num_columns = num_columns

    def forward(self, x):
        out = []
        for i, features in enumerate(x):
            found = self.module_list[i](features)
            N, _, H, W = found.shape
            out.append(permute_and_flatten(found, N, 0, self.num_columns, H, W))
        return torch.cat(out, dim=1)


def _columns(in_channels, num_anchors, columns):
    layers = nn.ModuleList([nn.Conv2d(channels, columns * anchors, kernel_size=3, padding=1)
                            for channels, anchors in zip(in_channels, num_anchors)])
    _xavier_init(layers)
    return layers


class SSDClassificationHead(SSDScoringHead):
    def __init__(self, in_channels, num_anchors, num_classes):
        super().__init__(_columns(in_channels, num_anchors, num_classes), num_classes)


class SSDRegressionHead(SSDScoringHead):
    def __init__(self, in_channels, num_anchors):
        super().__init__(_columns(in_channels, num_anchors, 4), 4)


class SSD(nn.Module):
    def __init__(self, backbone, anchor_generator, size, num_classes, image_mean=None, image_std=None, head=None, score_thresh=0.01,
                 nms_thresh=0.45, detections_per_img=200, iou_thresh=0.5, topk_candidates=400, positive_fraction=0.25, **kwargs):
        super().__init__()
        self.backbone = backbone
        self.anchor_generator = anchor_generator
        self.box_coder = det_utils.BoxCoder(weights=(10.0, 10.0, 5.0, 5.0))
        if head is None:
            channels = backbone.out_channels if hasattr(backbone, 'out_channels') else det_utils.retrieve_out_channels(backbone, size)
            if len(channels) != len(anchor_generator.aspect_ratios):
                raise ValueError(f'The length of the output channels from the backbone ({len(channels)}) do not match the length of the '
                                 f'anchor generator aspect ratios ({len(anchor_generator.aspect_ratios)})')
            head = SSDHead(channels, anchor_generator.num_anchors_per_location(), num_classes)
        self.head = head
        self.proposal_matcher = det_utils.SSDMatcher(iou_thresh)
        self.transform = GeneralizedRCNNTransform(min(size), max(size), image_mean or MEAN, image_std or STD, size_divisible=1,
                                                  fixed_size=size, **kwargs)
        self.score_thresh = score_thresh
        self.nms_thresh = nms_thresh
        self.detections_per_img = detections_per_img
        self.topk_candidates = topk_candidates
        self.neg_to_pos_ratio = (1.0 - positive_fraction) / positive_fraction
        self._has_warned = False

    def eager_outputs(self, losses, detections):
        return losses if self.training else detections

    def compute_loss(self, targets, head_outputs, anchors, matched_idxs):
        cls_logits = head_outputs['cls_logits']
        num_foreground, bbox_loss, cls_targets = 0, [], []
        for target, regression, logits, anchor, matched in zip(targets, head_outputs['bbox_regression'], cls_logits, anchors,
                                                               matched_idxs):
            foreground = torch.where(matched >= 0)[0]
            own = matched[foreground]
            num_foreground += own.numel()
            wanted = self.box_coder.encode_single(target['boxes'][own], anchor[foreground, :])
            bbox_loss.append(F.smooth_l1_loss(regression[foreground, :], wanted, reduction='sum'))
            classes = torch.zeros((logits.size(0),), dtype=target['labels'].dtype, device=target['labels'].device)
            classes[foreground] = target['labels'][own]
            cls_targets.append(classes)
        bbox_loss, cls_targets = torch.stack(bbox_loss), torch.stack(cls_targets)
        cls_loss = F.cross_entropy(cls_logits.view(-1, cls_logits.size(-1)), cls_targets.view(-1), reduction='none')
        cls_loss = cls_loss.view(cls_targets.size())
        # The hardest of those without a target, so many for each with one.
        foreground = cls_targets > 0
        num_negative = self.neg_to_pos_ratio * foreground.sum(1, keepdim=True)
        negative_loss = cls_loss.clone()
        negative_loss[foreground] = -float('inf')
        _, order = negative_loss.sort(1, descending=True)
        background = order.sort(1)[1] < num_negative
        N = max(1, num_foreground)
        return {'bbox_regression': bbox_loss.sum() / N,
                'classification': (cls_loss[foreground].sum() + cls_loss[background].sum()) / N}

    def forward(self, images, targets=None):
        images, targets, original_sizes, features = det_utils.features_of(self, images, targets)
        features = list(features.values())
        head_outputs = self.head(features)
        anchors = self.anchor_generator(images, features)
        if not self.training:
            detections = self.postprocess_detections(head_outputs, anchors, images.image_sizes)
            return self.eager_outputs({}, self.transform.postprocess(detections, images.image_sizes, original_sizes))
        matched_idxs = det_utils.matches_of(self.proposal_matcher, anchors, targets)
        return self.eager_outputs(self.compute_loss(targets, head_outputs, anchors, matched_idxs), [])

    def postprocess_detections(self, head_outputs, image_anchors, image_shapes):
        pred_scores = F.softmax(head_outputs['cls_logits'], dim=-1)
        detections = []
        for boxes, scores, anchors, image_shape in zip(head_outputs['bbox_regression'], pred_scores, image_anchors, image_shapes):
            boxes = box_ops.clip_boxes_to_image(self.box_coder.decode_single(boxes, anchors), image_shape)
            found = []
            for label in range(1, pred_scores.size(-1)):
                keep = scores[:, label] > self.score_thresh
                score, best = scores[:, label][keep].topk(det_utils._topk_min(scores[:, label][keep], self.topk_candidates, 0))
                found.append((boxes[keep][best], score, torch.full_like(score, fill_value=label, dtype=torch.int64)))
            all_boxes, all_scores, all_labels = [torch.cat(parts, dim=0) for parts in zip(*found)]
            keep = box_ops.batched_nms(all_boxes, all_scores, all_labels, self.nms_thresh)[:self.detections_per_img]
            detections.append({'boxes': all_boxes[keep], 'scores': all_scores[keep], 'labels': all_labels[keep]})
        return detections


def _extra(channels, inner, out, **last):
    return nn.Sequential(nn.Conv2d(channels, inner, kernel_size=1), nn.ReLU(inplace=True), nn.Conv2d(inner, out, **last),
                         nn.ReLU(inplace=True))


class SSDFeatureExtractorVGG(nn.Module):
    def __init__(self, backbone, highres):
        super().__init__()
        pools = [i for i, layer in enumerate(backbone) if isinstance(layer, nn.MaxPool2d)]
        _, _, third, fourth, _ = pools
        backbone[third].ceil_mode = True
        self.scale_weight = nn.Parameter(torch.ones(512) * 20)
        self.features = nn.Sequential(*backbone[:fourth])
        extra = nn.ModuleList([_extra(1024, 256, 512, kernel_size=3, padding=1, stride=2),
                               _extra(512, 128, 256, kernel_size=3, padding=1, stride=2), _extra(256, 128, 256, kernel_size=3),
                               _extra(256, 128, 256, kernel_size=3)])
        if highres:
            extra.append(_extra(256, 128, 256, kernel_size=4))
        _xavier_init(extra)
        fc = nn.Sequential(nn.MaxPool2d(kernel_size=3, stride=1, padding=1, ceil_mode=False),
                           nn.Conv2d(512, 1024, kernel_size=3, padding=6, dilation=6), nn.ReLU(inplace=True),
                           nn.Conv2d(1024, 1024, kernel_size=1), nn.ReLU(inplace=True))
        _xavier_init(fc)
        extra.insert(0, nn.Sequential(*backbone[fourth:-1], fc))
        self.extra = extra

    def forward(self, x):
        x = self.features(x)
        output = [self.scale_weight.view(1, -1, 1, 1) * F.normalize(x)]
        for block in self.extra:
            x = block(x)
            output.append(x)
        return OrderedDict((str(i), v) for i, v in enumerate(output))


def _vgg_extractor(backbone, highres, trainable_layers):
    backbone = backbone.features
    stages = [0] + [i for i, b in enumerate(backbone) if isinstance(b, nn.MaxPool2d)][:-1]
    torch._assert(0 <= trainable_layers <= len(stages),
                  f'trainable_layers should be in the range [0, {len(stages)}]. Instead got {trainable_layers}')
    freeze_stages(backbone, stages, trainable_layers)
    return SSDFeatureExtractorVGG(backbone, highres)


_VGG16 = named_weights('VGG16_Weights').IMAGENET1K_FEATURES


def ssd300_vgg16(*, weights=None, progress=True, num_classes=None, weights_backbone=_VGG16, trainable_backbone_layers=None,
                 pretrained=False, pretrained_backbone=None, **kwargs):
    if 'size' in kwargs:
        warnings.warn('The size of the model is already fixed; ignoring the parameter.')
    if pretrained_backbone is not None:
        weights_backbone = _VGG16 if pretrained_backbone else None
    has_weights = weights is not None or pretrained
    if has_weights:
        weights_backbone = None
    layers = _validate_trainable_layers(has_weights or weights_backbone is not None, trainable_backbone_layers, 5, 4)
    backbone = _vgg_extractor(vgg.vgg16(weights=weights_backbone), False, layers)
    boxes = DefaultBoxGenerator([[2], [2, 3], [2, 3], [2, 3], [2], [2]], scales=[0.07, 0.15, 0.33, 0.51, 0.69, 0.87, 1.05],
                                steps=[8, 16, 32, 64, 100, 300])
    # The mean and the deviation of the weights that VGG was trained with first.
    defaults = {'image_mean': [0.48235, 0.45882, 0.40784], 'image_std': [1.0 / 255.0, 1.0 / 255.0, 1.0 / 255.0]}
    model = SSD(backbone, boxes, (300, 300), 91 if num_classes is None else num_classes, **{**defaults, **kwargs})
    return with_weights(model, weights, pretrained)
