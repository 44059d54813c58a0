# SPDX-License-Identifier: Apache-2.0
# Faster R-CNN: Towards Real-Time Object Detection with Region Proposal Networks (Ren et al., 2015): its proposals.
import torch
from torch import nn
from torch.nn import functional as F
from torchvision.models.detection import _utils as det_utils
from torchvision.models.detection.anchor_utils import AnchorGenerator
from torchvision.models.detection.image_list import ImageList
from torchvision.ops import Conv2dNormActivation, boxes as box_ops


class RPNHead(nn.Module):
    _version = 2

    def __init__(self, in_channels, num_anchors, conv_depth=1):
        super().__init__()
        self.conv = nn.Sequential(*[Conv2dNormActivation(in_channels, in_channels, kernel_size=3, norm_layer=None)
                                    for _ in range(conv_depth)])
        self.cls_logits = nn.Conv2d(in_channels, num_anchors, kernel_size=1, stride=1)
        self.bbox_pred = nn.Conv2d(in_channels, num_anchors * 4, kernel_size=1, stride=1)
        det_utils.init_convolutions(self, lambda weight: nn.init.normal_(weight, std=0.01))

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, *others):
        if local_metadata.get('version', None) in (None, 1):
            for kind in ('weight', 'bias'):
                if f'{prefix}conv.{kind}' in state_dict:
                    state_dict[f'{prefix}conv.0.0.{kind}'] = state_dict.pop(f'{prefix}conv.{kind}')
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *others)

    def forward(self, x):
        logits, bbox_reg = [], []
        for feature in x:
            t = self.conv(feature)
            logits.append(self.cls_logits(t))
            bbox_reg.append(self.bbox_pred(t))
        return logits, bbox_reg


def permute_and_flatten(layer, N, A, C, H, W):
    return layer.view(N, -1, C, H, W).permute(0, 3, 4, 1, 2).reshape(N, -1, C)


def concat_box_prediction_layers(box_cls, box_regression):
    all_cls, all_regression = [], []
    for per_level_cls, per_level_regression in zip(box_cls, box_regression):
        N, AxC, H, W = per_level_cls.shape
        A = per_level_regression.shape[1] // 4
        all_cls.append(permute_and_flatten(per_level_cls, N, A, AxC // A, H, W))
        all_regression.append(permute_and_flatten(per_level_regression, N, A, 4, H, W))
    return torch.cat(all_cls, dim=1).flatten(0, -2), torch.cat(all_regression, dim=1).reshape(-1, 4)


class RegionProposalNetwork(nn.Module):
    def __init__(self, anchor_generator, head, fg_iou_thresh, bg_iou_thresh, batch_size_per_image, positive_fraction, pre_nms_top_n,
                 post_nms_top_n, nms_thresh, score_thresh=0.0):
        super().__init__()
        self.anchor_generator = anchor_generator
        self.head = head
        self.box_coder = det_utils.BoxCoder(weights=(1.0, 1.0, 1.0, 1.0))
        self.box_similarity = box_ops.box_iou
        self.proposal_matcher = det_utils.Matcher(fg_iou_thresh, bg_iou_thresh, allow_low_quality_matches=True)
        self.fg_bg_sampler = det_utils.BalancedPositiveNegativeSampler(batch_size_per_image, positive_fraction)
        self._pre_nms_top_n = pre_nms_top_n
        self._post_nms_top_n = post_nms_top_n
        self.nms_thresh = nms_thresh
        self.score_thresh = score_thresh
        self.min_size = 1e-3

    def pre_nms_top_n(self):
        return self._pre_nms_top_n['training' if self.training else 'testing']

    def post_nms_top_n(self):
        return self._post_nms_top_n['training' if self.training else 'testing']

    def assign_targets_to_anchors(self, anchors, targets):
        labels, matched_gt_boxes = [], []
        for anchors_of_image, target in zip(anchors, targets):
            gt_boxes = target['boxes']
            if gt_boxes.numel() == 0:
                matched_gt_boxes.append(torch.zeros(anchors_of_image.shape, dtype=torch.float32, device=anchors_of_image.device))
                labels.append(torch.zeros((anchors_of_image.shape[0],), dtype=torch.float32, device=anchors_of_image.device))
                continue
            matched = self.proposal_matcher(self.box_similarity(gt_boxes, anchors_of_image))
            matched_gt_boxes.append(gt_boxes[matched.clamp(min=0)])
            label = (matched >= 0).to(dtype=torch.float32)
            label[matched == self.proposal_matcher.BELOW_LOW_THRESHOLD] = 0.0
            label[matched == self.proposal_matcher.BETWEEN_THRESHOLDS] = -1.0
            labels.append(label)
        return labels, matched_gt_boxes

    def _get_top_n_idx(self, objectness, num_anchors_per_level):
        found, offset = [], 0
        for ob in objectness.split(num_anchors_per_level, 1):
            _, top = ob.topk(det_utils._topk_min(ob, self.pre_nms_top_n(), 1), dim=1)
            found.append(top + offset)
            offset += ob.shape[1]
        return torch.cat(found, dim=1)

    def filter_proposals(self, proposals, objectness, image_shapes, num_anchors_per_level):
        num_images, device = proposals.shape[0], proposals.device
        objectness = objectness.detach().reshape(num_images, -1)
        levels = torch.cat([torch.full((n,), idx, dtype=torch.int64, device=device) for idx, n in enumerate(num_anchors_per_level)], 0)
        levels = levels.reshape(1, -1).expand_as(objectness)
        top = self._get_top_n_idx(objectness, num_anchors_per_level)
        batch = torch.arange(num_images, device=device)[:, None]
        final_boxes, final_scores = [], []
        for boxes, scores, level, shape in zip(proposals[batch, top], torch.sigmoid(objectness[batch, top]), levels[batch, top],
                                               image_shapes):
            boxes = box_ops.clip_boxes_to_image(boxes, shape)
            keep = box_ops.remove_small_boxes(boxes, self.min_size)
            boxes, scores, level = boxes[keep], scores[keep], level[keep]
            keep = torch.where(scores >= self.score_thresh)[0]
            boxes, scores, level = boxes[keep], scores[keep], level[keep]
            keep = box_ops.batched_nms(boxes, scores, level, self.nms_thresh)[:self.post_nms_top_n()]
            final_boxes.append(boxes[keep])
            final_scores.append(scores[keep])
        return final_boxes, final_scores

    def compute_loss(self, objectness, pred_bbox_deltas, labels, regression_targets):
        positive, negative = [torch.where(torch.cat(masks, dim=0))[0] for masks in self.fg_bg_sampler(labels)]
        sampled = torch.cat([positive, negative], dim=0)
        labels = torch.cat(labels, dim=0)
        regression_targets = torch.cat(regression_targets, dim=0)
        box_loss = F.smooth_l1_loss(pred_bbox_deltas[positive], regression_targets[positive], beta=1 / 9,
                                    reduction='sum') / sampled.numel()
        return F.binary_cross_entropy_with_logits(objectness.flatten()[sampled], labels[sampled]), box_loss

    def forward(self, images, features, targets=None):
        features = list(features.values())
        objectness, pred_bbox_deltas = self.head(features)
        anchors = self.anchor_generator(images, features)
        num_anchors_per_level = [o[0].numel() for o in objectness]
        objectness, pred_bbox_deltas = concat_box_prediction_layers(objectness, pred_bbox_deltas)
        proposals = self.box_coder.decode(pred_bbox_deltas.detach(), anchors).view(len(anchors), -1, 4)
        boxes, _ = self.filter_proposals(proposals, objectness, images.image_sizes, num_anchors_per_level)
        if not self.training:
            return boxes, {}
        if targets is None:
            raise ValueError('targets should not be None')
        labels, matched_gt_boxes = self.assign_targets_to_anchors(anchors, targets)
        loss_objectness, loss_box = self.compute_loss(objectness, pred_bbox_deltas, labels,
                                                      self.box_coder.encode(matched_gt_boxes, anchors))
        return boxes, {'loss_objectness': loss_objectness, 'loss_rpn_box_reg': loss_box}
