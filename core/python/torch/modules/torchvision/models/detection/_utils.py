# SPDX-License-Identifier: Apache-2.0
# What detectors share: boxes as differences from others, which of them belong to a target, and how models are made.
import math
from collections import OrderedDict
import torch
from torch import nn
from torch.nn import functional as F
from torchvision.ops import FrozenBatchNorm2d, box_iou, complete_box_iou_loss, distance_box_iou_loss, generalized_box_iou_loss


class BalancedPositiveNegativeSampler:
    """Masks of what is drawn of an image: at most a fraction with a target, for the others none."""

    def __init__(self, batch_size_per_image, positive_fraction):
        self.batch_size_per_image = batch_size_per_image
        self.positive_fraction = positive_fraction

    def __call__(self, matched_idxs):
        pos_idx, neg_idx = [], []
        for matched in matched_idxs:
            positive = torch.where(matched >= 1)[0]
            negative = torch.where(matched == 0)[0]
            num_pos = min(positive.numel(), int(self.batch_size_per_image * self.positive_fraction))
            num_neg = min(negative.numel(), self.batch_size_per_image - num_pos)
            perm1 = torch.randperm(positive.numel(), device=positive.device)[:num_pos]
            perm2 = torch.randperm(negative.numel(), device=negative.device)[:num_neg]
            for chosen, masks in ((positive[perm1], pos_idx), (negative[perm2], neg_idx)):
                mask = torch.zeros_like(matched, dtype=torch.uint8)
                mask[chosen] = 1
                masks.append(mask)
        return pos_idx, neg_idx


def _centers(boxes):
    widths, heights = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    return widths, heights, boxes[:, 0] + 0.5 * widths, boxes[:, 1] + 0.5 * heights


def encode_boxes(reference_boxes, proposals, weights):
    ex_widths, ex_heights, ex_x, ex_y = _centers(proposals)
    gt_widths, gt_heights, gt_x, gt_y = _centers(reference_boxes)
    return torch.stack((weights[0] * (gt_x - ex_x) / ex_widths, weights[1] * (gt_y - ex_y) / ex_heights,
                        weights[2] * torch.log(gt_widths / ex_widths), weights[3] * torch.log(gt_heights / ex_heights)), dim=1)


class BoxCoder:
    """Boxes as differences of centres, in sizes of the reference, and logarithms of sizes."""

    def __init__(self, weights, bbox_xform_clip=math.log(1000.0 / 16)):
        self.weights = weights
        self.bbox_xform_clip = bbox_xform_clip

    def encode(self, reference_boxes, proposals):
        counts = [len(b) for b in reference_boxes]
        return self.encode_single(torch.cat(reference_boxes, dim=0), torch.cat(proposals, dim=0)).split(counts, 0)

    def encode_single(self, reference_boxes, proposals):
        weights = torch.as_tensor(self.weights, dtype=reference_boxes.dtype, device=reference_boxes.device)
        return encode_boxes(reference_boxes, proposals, weights)

    def decode(self, rel_codes, boxes):
        torch._assert(isinstance(boxes, (list, tuple)), 'This function expects boxes of type list or tuple.')
        torch._assert(isinstance(rel_codes, torch.Tensor), 'This function expects rel_codes of type torch.Tensor.')
        count = sum(b.size(0) for b in boxes)
        if count > 0:
            rel_codes = rel_codes.reshape(count, -1)
        out = self.decode_single(rel_codes, torch.cat(boxes, dim=0))
        return out.reshape(count, -1, 4) if count > 0 else out

    def decode_single(self, rel_codes, boxes):
        boxes = boxes.to(rel_codes.dtype)
        widths, heights, x, y = _centers(boxes)
        wx, wy, ww, wh = self.weights
        dw = torch.clamp(rel_codes[:, 2::4] / ww, max=self.bbox_xform_clip)
        dh = torch.clamp(rel_codes[:, 3::4] / wh, max=self.bbox_xform_clip)
        center_x = rel_codes[:, 0::4] / wx * widths[:, None] + x[:, None]
        center_y = rel_codes[:, 1::4] / wy * heights[:, None] + y[:, None]
        half_w = 0.5 * (torch.exp(dw) * widths[:, None])
        half_h = 0.5 * (torch.exp(dh) * heights[:, None])
        return torch.stack((center_x - half_w, center_y - half_h, center_x + half_w, center_y + half_h), dim=2).flatten(1)


class BoxLinearCoder:
    """Boxes as distances of their sides from the middle of the reference, in its sizes."""

    def __init__(self, normalize_by_size=True):
        self.normalize_by_size = normalize_by_size

    @staticmethod
    def _middle(boxes):
        return 0.5 * (boxes[..., 0] + boxes[..., 2]), 0.5 * (boxes[..., 1] + boxes[..., 3])

    @staticmethod
    def _sizes(boxes):
        width, height = boxes[..., 2] - boxes[..., 0], boxes[..., 3] - boxes[..., 1]
        return torch.stack((width, height, width, height), dim=-1)

    def encode(self, reference_boxes, proposals):
        x, y = self._middle(reference_boxes)
        targets = torch.stack((x - proposals[..., 0], y - proposals[..., 1], proposals[..., 2] - x, proposals[..., 3] - y), dim=-1)
        return targets / self._sizes(reference_boxes) if self.normalize_by_size else targets

    def decode(self, rel_codes, boxes):
        boxes = boxes.to(dtype=rel_codes.dtype)
        x, y = self._middle(boxes)
        if self.normalize_by_size:
            rel_codes = rel_codes * self._sizes(boxes)
        return torch.stack((x - rel_codes[..., 0], y - rel_codes[..., 1], x + rel_codes[..., 2], y + rel_codes[..., 3]), dim=-1)


class Matcher:
    """For each prediction the target it overlaps most; -1 where that is little, -2 between the thresholds."""
    BELOW_LOW_THRESHOLD = -1
    BETWEEN_THRESHOLDS = -2

    def __init__(self, high_threshold, low_threshold, allow_low_quality_matches=False):
        torch._assert(low_threshold <= high_threshold, 'low_threshold should be <= high_threshold')
        self.high_threshold = high_threshold
        self.low_threshold = low_threshold
        self.allow_low_quality_matches = allow_low_quality_matches

    def __call__(self, match_quality_matrix):
        if match_quality_matrix.numel() == 0:
            what = 'ground-truth' if match_quality_matrix.shape[0] == 0 else 'proposal'
            raise ValueError(f'No {what} boxes available for one of the images during training')
        values, matches = match_quality_matrix.max(dim=0)
        all_matches = matches.clone()
        matches[values < self.low_threshold] = self.BELOW_LOW_THRESHOLD
        matches[(values >= self.low_threshold) & (values < self.high_threshold)] = self.BETWEEN_THRESHOLDS
        if self.allow_low_quality_matches:
            self.set_low_quality_matches_(matches, all_matches, match_quality_matrix)
        return matches

    def set_low_quality_matches_(self, matches, all_matches, match_quality_matrix):
        highest, _ = match_quality_matrix.max(dim=1)
        update = torch.where(match_quality_matrix == highest[:, None])[1]
        matches[update] = all_matches[update]


class SSDMatcher(Matcher):
    def __init__(self, threshold):
        super().__init__(threshold, threshold, allow_low_quality_matches=False)

    def __call__(self, match_quality_matrix):
        matches = super().__call__(match_quality_matrix)
        _, highest = match_quality_matrix.max(dim=1)
        matches[highest] = torch.arange(highest.size(0), dtype=torch.int64, device=highest.device)
        return matches


def overwrite_eps(model, eps):
    for module in model.modules():
        if isinstance(module, FrozenBatchNorm2d):
            module.eps = eps


def retrieve_out_channels(model, size):
    was_training = model.training
    model.eval()
    with torch.no_grad():
        features = model(torch.zeros((1, 3, size[1], size[0]), device=next(model.parameters()).device))
    if isinstance(features, torch.Tensor):
        features = OrderedDict([('0', features)])
    if was_training:
        model.train()
    return [x.size(1) for x in features.values()]


def _topk_min(input, orig_kval, axis):
    return min(orig_kval, input.size(axis))


def _box_loss(type, box_coder, anchors_per_image, matched_gt_boxes_per_image, bbox_regression_per_image, cnf=None):
    torch._assert(type in ['l1', 'smooth_l1', 'ciou', 'diou', 'giou'], f'Unsupported loss: {type}')
    cnf = cnf or {}
    if type in ('l1', 'smooth_l1'):
        target = box_coder.encode_single(matched_gt_boxes_per_image, anchors_per_image)
        if type == 'l1':
            return F.l1_loss(bbox_regression_per_image, target, reduction='sum')
        return F.smooth_l1_loss(bbox_regression_per_image, target, reduction='sum', beta=cnf.get('beta', 1.0))
    boxes = box_coder.decode_single(bbox_regression_per_image, anchors_per_image)
    loss = {'ciou': complete_box_iou_loss, 'diou': distance_box_iou_loss, 'giou': generalized_box_iou_loss}[type]
    return loss(boxes, matched_gt_boxes_per_image, reduction='sum', eps=cnf.get('eps', 1e-7))


def _sum(x):
    res = x[0]
    for i in x[1:]:
        res = res + i
    return res


def check_targets_are_boxes(targets, says_shape=True):
    if targets is None:
        torch._assert(False, 'targets should not be none when in training mode')
    for target in targets:
        boxes = target['boxes']
        if not isinstance(boxes, torch.Tensor):
            torch._assert(False, f'Expected target boxes to be of type Tensor, got {type(boxes)}.' if says_shape
                          else 'Expected target boxes to be of type Tensor.')
        torch._assert(len(boxes.shape) == 2 and boxes.shape[-1] == 4,
                      f'Expected target boxes to be a tensor of shape [N, 4], got {boxes.shape}.' if says_shape
                      else 'Expected target boxes to be a tensor of shape [N, 4].')


def check_boxes_have_sizes(targets):
    for target_idx, target in enumerate(targets or []):
        boxes = target['boxes']
        degenerate = boxes[:, 2:] <= boxes[:, :2]
        if degenerate.any():
            found = boxes[torch.where(degenerate.any(dim=1))[0][0]].tolist()
            torch._assert(False, f'All bounding boxes should have positive height and width. Found invalid box {found} for target at '
                                 f'index {target_idx}.')


def sizes_of_images(images):
    for img in images:
        torch._assert(len(img.shape[-2:]) == 2,
                      f'expecting the last two dimensions of the Tensor to be H and W instead got {img.shape[-2:]}')
    return [(img.shape[-2], img.shape[-1]) for img in images]


def features_of(model, images, targets, says_shape=True):
    """Images and targets as the model takes them, checked, with the sizes that the images had and what its backbone sees in them."""
    if model.training:
        check_targets_are_boxes(targets, says_shape)
    original_sizes = sizes_of_images(images)
    images, targets = model.transform(images, targets)
    check_boxes_have_sizes(targets)
    features = model.backbone(images.tensors)
    if isinstance(features, torch.Tensor):
        features = OrderedDict([('0', features)])
    return images, targets, original_sizes, features


def matches_of(matcher, anchors, targets):
    """Of each image: the target that each anchor belongs to, -1 where there is none."""
    return [torch.full((anchor.size(0),), -1, dtype=torch.int64, device=anchor.device) if target['boxes'].numel() == 0
            else matcher(box_iou(target['boxes'], anchor)) for anchor, target in zip(anchors, targets)]


def init_convolutions(module, init_weight):
    for layer in module.modules():
        if isinstance(layer, nn.Conv2d):
            init_weight(layer.weight)
            if layer.bias is not None:
                nn.init.zeros_(layer.bias)
