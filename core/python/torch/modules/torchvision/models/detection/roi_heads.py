# SPDX-License-Identifier: Apache-2.0
# What is found in each region: its class and box, its mask (He et al., 2017), its keypoints.
import torch
import torch.nn.functional as F
from torch import nn
from torchvision.models.detection import _utils as det_utils
from torchvision.ops import boxes as box_ops, roi_align


def fastrcnn_loss(class_logits, box_regression, labels, regression_targets):
    labels = torch.cat(labels, dim=0)
    regression_targets = torch.cat(regression_targets, dim=0)
    positive = torch.where(labels > 0)[0]
    box_regression = box_regression.reshape(class_logits.shape[0], box_regression.size(-1) // 4, 4)
    box_loss = F.smooth_l1_loss(box_regression[positive, labels[positive]], regression_targets[positive], beta=1 / 9, reduction='sum')
    return F.cross_entropy(class_logits, labels), box_loss / labels.numel()


def maskrcnn_inference(x, labels):
    """x: logits [masks, classes, M, M]. Returns the probabilities of each image's own classes."""
    counts = [label.shape[0] for label in labels]
    labels = torch.cat(labels)
    index = torch.arange(x.shape[0], device=labels.device)
    return x.sigmoid()[index, labels][:, None].split(counts, dim=0)


def project_masks_on_boxes(gt_masks, boxes, matched_idxs, M):
    rois = torch.cat([matched_idxs.to(boxes)[:, None], boxes], dim=1)
    return roi_align(gt_masks[:, None].to(rois), rois, (M, M), 1.0)[:, 0]


def maskrcnn_loss(mask_logits, proposals, gt_masks, gt_labels, mask_matched_idxs):
    labels = torch.cat([label[idxs] for label, idxs in zip(gt_labels, mask_matched_idxs)], dim=0)
    targets = torch.cat([project_masks_on_boxes(m, p, i, mask_logits.shape[-1])
                         for m, p, i in zip(gt_masks, proposals, mask_matched_idxs)], dim=0)
    if targets.numel() == 0:
        return mask_logits.sum() * 0
    return F.binary_cross_entropy_with_logits(mask_logits[torch.arange(labels.shape[0], device=labels.device), labels], targets)


def keypoints_to_heatmap(keypoints, rois, heatmap_size):
    """Where each keypoint lies in the heat map of its region, as one index, and whether it does."""
    places = []
    for axis in (0, 1):
        low, high = rois[:, axis][:, None], rois[:, axis + 2][:, None]
        at = ((keypoints[..., axis] - low) * (heatmap_size / (high - low))).floor().long()
        at[keypoints[..., axis] == high] = heatmap_size - 1
        places.append(at)
    x, y = places
    inside = (x >= 0) & (y >= 0) & (x < heatmap_size) & (y < heatmap_size)
    valid = (inside & (keypoints[..., 2] > 0)).long()
    return (y * heatmap_size + x) * valid, valid


def heatmaps_to_keypoints(maps, rois):
    """maps: [regions, keypoints, M, M]. Returns [regions, keypoints, 3] (x, y, 1) and scores [regions, keypoints]."""
    widths, heights = (rois[:, 2] - rois[:, 0]).clamp(min=1), (rois[:, 3] - rois[:, 1]).clamp(min=1)
    num_keypoints = maps.shape[1]
    xy_preds = torch.zeros((len(rois), 3, num_keypoints), dtype=torch.float32, device=maps.device)
    end_scores = torch.zeros((len(rois), num_keypoints), dtype=torch.float32, device=maps.device)
    for i in range(len(rois)):
        width, height = int(widths[i].ceil().item()), int(heights[i].ceil().item())
        roi_map = F.interpolate(maps[i][:, None], size=(height, width), mode='bicubic', align_corners=False)[:, 0]
        pos = roi_map.reshape(num_keypoints, -1).argmax(dim=1)
        x_int = pos % width
        y_int = torch.div(pos - x_int, width, rounding_mode='floor')
        xy_preds[i, 0, :] = (x_int.float() + 0.5) * (widths[i] / width) + rois[i, 0]
        xy_preds[i, 1, :] = (y_int.float() + 0.5) * (heights[i] / height) + rois[i, 1]
        xy_preds[i, 2, :] = 1
        end_scores[i, :] = roi_map[torch.arange(num_keypoints, device=roi_map.device), y_int, x_int]
    return xy_preds.permute(0, 2, 1), end_scores


def keypointrcnn_loss(keypoint_logits, proposals, gt_keypoints, keypoint_matched_idxs):
    N, K, H, W = keypoint_logits.shape
    if H != W:
        raise ValueError(f'keypoint_logits height and width (last two elements of shape) should be equal. Instead got H = {H} and W = {W}')
    maps = [keypoints_to_heatmap(keypoints[matched], boxes, H)
            for boxes, keypoints, matched in zip(proposals, gt_keypoints, keypoint_matched_idxs)]
    targets = torch.cat([heatmap.view(-1) for heatmap, _ in maps], dim=0)
    valid = torch.where(torch.cat([each.view(-1) for _, each in maps], dim=0).to(dtype=torch.uint8))[0]
    if targets.numel() == 0 or len(valid) == 0:
        return keypoint_logits.sum() * 0
    return F.cross_entropy(keypoint_logits.view(N * K, H * W)[valid], targets[valid])


def keypointrcnn_inference(x, boxes):
    found = [heatmaps_to_keypoints(maps, rois) for maps, rois in zip(x.split([box.size(0) for box in boxes], dim=0), boxes)]
    return [points for points, _ in found], [scores for _, scores in found]


def expand_boxes(boxes, scale):
    half_w, half_h = (boxes[:, 2] - boxes[:, 0]) * 0.5 * scale, (boxes[:, 3] - boxes[:, 1]) * 0.5 * scale
    x, y = (boxes[:, 2] + boxes[:, 0]) * 0.5, (boxes[:, 3] + boxes[:, 1]) * 0.5
    return torch.stack((x - half_w, y - half_h, x + half_w, y + half_h), dim=1)


def expand_masks(mask, padding):
    M = mask.shape[-1]
    return F.pad(mask, (padding,) * 4), float(M + 2 * padding) / M


def paste_mask_in_image(mask, box, im_h, im_w):
    left, top, right, bottom = [int(each) for each in box]
    width, height = max(right - left + 1, 1), max(bottom - top + 1, 1)
    mask = F.interpolate(mask.expand((1, 1, -1, -1)), size=(height, width), mode='bilinear', align_corners=False)[0][0]
    im_mask = torch.zeros((im_h, im_w), dtype=mask.dtype, device=mask.device)
    x_0, x_1 = max(left, 0), min(right + 1, im_w)
    y_0, y_1 = max(top, 0), min(bottom + 1, im_h)
    im_mask[y_0:y_1, x_0:x_1] = mask[y_0 - top:y_1 - top, x_0 - left:x_1 - left]
    return im_mask


def paste_masks_in_image(masks, boxes, img_shape, padding=1):
    masks, scale = expand_masks(masks, padding=padding)
    boxes = expand_boxes(boxes, scale).to(dtype=torch.int64)
    pasted = [paste_mask_in_image(m[0], b, *img_shape) for m, b in zip(masks, boxes)]
    return torch.stack(pasted, dim=0)[:, None] if pasted else masks.new_empty((0, 1, *img_shape))


class RoIHeads(nn.Module):
    def __init__(self, box_roi_pool, box_head, box_predictor, fg_iou_thresh, bg_iou_thresh, batch_size_per_image, positive_fraction,
                 bbox_reg_weights, score_thresh, nms_thresh, detections_per_img, mask_roi_pool=None, mask_head=None,
                 mask_predictor=None, keypoint_roi_pool=None, keypoint_head=None, keypoint_predictor=None):
        super().__init__()
        self.box_similarity = box_ops.box_iou
        self.proposal_matcher = det_utils.Matcher(fg_iou_thresh, bg_iou_thresh, allow_low_quality_matches=False)
        self.fg_bg_sampler = det_utils.BalancedPositiveNegativeSampler(batch_size_per_image, positive_fraction)
        self.box_coder = det_utils.BoxCoder((10.0, 10.0, 5.0, 5.0) if bbox_reg_weights is None else bbox_reg_weights)
        self.box_roi_pool = box_roi_pool
        self.box_head = box_head
        self.box_predictor = box_predictor
        self.score_thresh = score_thresh
        self.nms_thresh = nms_thresh
        self.detections_per_img = detections_per_img
        self.mask_roi_pool = mask_roi_pool
        self.mask_head = mask_head
        self.mask_predictor = mask_predictor
        self.keypoint_roi_pool = keypoint_roi_pool
        self.keypoint_head = keypoint_head
        self.keypoint_predictor = keypoint_predictor

    def has_mask(self):
        return self.mask_roi_pool is not None and self.mask_head is not None and self.mask_predictor is not None

    def has_keypoint(self):
        return self.keypoint_roi_pool is not None and self.keypoint_head is not None and self.keypoint_predictor is not None

    def assign_targets_to_proposals(self, proposals, gt_boxes, gt_labels):
        matched_idxs, labels = [], []
        for boxes, targets, target_labels in zip(proposals, gt_boxes, gt_labels):
            if targets.numel() == 0:
                matched = torch.zeros((boxes.shape[0],), dtype=torch.int64, device=boxes.device)
                matched_idxs.append(matched)
                labels.append(torch.zeros_like(matched))
                continue
            matched = self.proposal_matcher(box_ops.box_iou(targets, boxes))
            clamped = matched.clamp(min=0)
            label = target_labels[clamped].to(dtype=torch.int64)
            label[matched == self.proposal_matcher.BELOW_LOW_THRESHOLD] = 0
            label[matched == self.proposal_matcher.BETWEEN_THRESHOLDS] = -1
            matched_idxs.append(clamped)
            labels.append(label)
        return matched_idxs, labels

    def subsample(self, labels):
        return [torch.where(positive | negative)[0] for positive, negative in zip(*self.fg_bg_sampler(labels))]

    def add_gt_proposals(self, proposals, gt_boxes):
        return [torch.cat((proposal, gt_box)) for proposal, gt_box in zip(proposals, gt_boxes)]

    def check_targets(self, targets):
        if targets is None:
            raise ValueError('targets should not be None')
        for key in ('boxes', 'labels') + (('masks',) if self.has_mask() else ()):
            if not all(key in t for t in targets):
                raise ValueError(f'Every element of targets should have a {key} key')

    def select_training_samples(self, proposals, targets):
        self.check_targets(targets)
        dtype, device = proposals[0].dtype, proposals[0].device
        gt_boxes = [t['boxes'].to(dtype) for t in targets]
        proposals = self.add_gt_proposals(proposals, gt_boxes)
        matched_idxs, labels = self.assign_targets_to_proposals(proposals, gt_boxes, [t['labels'] for t in targets])
        matched_gt_boxes = []
        for i, sampled in enumerate(self.subsample(labels)):
            proposals[i], labels[i], matched_idxs[i] = proposals[i][sampled], labels[i][sampled], matched_idxs[i][sampled]
            boxes = gt_boxes[i] if gt_boxes[i].numel() > 0 else torch.zeros((1, 4), dtype=dtype, device=device)
            matched_gt_boxes.append(boxes[matched_idxs[i]])
        return proposals, matched_idxs, labels, self.box_coder.encode(matched_gt_boxes, proposals)

    def postprocess_detections(self, class_logits, box_regression, proposals, image_shapes):
        num_classes = class_logits.shape[-1]
        counts = [boxes.shape[0] for boxes in proposals]
        pred_boxes = self.box_coder.decode(box_regression, proposals).split(counts, 0)
        pred_scores = F.softmax(class_logits, -1).split(counts, 0)
        all_boxes, all_scores, all_labels = [], [], []
        for boxes, scores, image_shape in zip(pred_boxes, pred_scores, image_shapes):
            boxes = box_ops.clip_boxes_to_image(boxes, image_shape)
            labels = torch.arange(num_classes, device=class_logits.device).view(1, -1).expand_as(scores)
            # Class 0 is none.
            boxes, scores, labels = boxes[:, 1:].reshape(-1, 4), scores[:, 1:].reshape(-1), labels[:, 1:].reshape(-1)
            keep = torch.where(scores > self.score_thresh)[0]
            boxes, scores, labels = boxes[keep], scores[keep], labels[keep]
            keep = box_ops.remove_small_boxes(boxes, min_size=1e-2)
            boxes, scores, labels = boxes[keep], scores[keep], labels[keep]
            keep = box_ops.batched_nms(boxes, scores, labels, self.nms_thresh)[:self.detections_per_img]
            all_boxes.append(boxes[keep])
            all_scores.append(scores[keep])
            all_labels.append(labels[keep])
        return all_boxes, all_scores, all_labels

    def _check_dtypes(self, targets):
        for t in targets or []:
            if t['boxes'].dtype not in (torch.float, torch.double, torch.half):
                raise TypeError(f"target boxes must of float type, instead got {t['boxes'].dtype}")
            if t['labels'].dtype != torch.int64:
                raise TypeError(f"target labels must of int64 type, instead got {t['labels'].dtype}")
            if self.has_keypoint() and t['keypoints'].dtype != torch.float32:
                raise TypeError(f"target keypoints must of float type, instead got {t['keypoints'].dtype}")

    def forward(self, features, proposals, image_shapes, targets=None):
        self._check_dtypes(targets)
        labels = regression_targets = matched_idxs = None
        if self.training:
            proposals, matched_idxs, labels, regression_targets = self.select_training_samples(proposals, targets)
        class_logits, box_regression = self.box_predictor(self.box_head(self.box_roi_pool(features, proposals, image_shapes)))
        result, losses = [], {}
        if self.training:
            loss_classifier, loss_box_reg = fastrcnn_loss(class_logits, box_regression, labels, regression_targets)
            losses = {'loss_classifier': loss_classifier, 'loss_box_reg': loss_box_reg}
            positive = [torch.where(label > 0)[0] for label in labels]
            regions = [boxes[pos] for boxes, pos in zip(proposals, positive)]
            matched = [idxs[pos] for idxs, pos in zip(matched_idxs, positive)]
        else:
            found = self.postprocess_detections(class_logits, box_regression, proposals, image_shapes)
            result = [{'boxes': b, 'labels': l, 'scores': s} for b, s, l in zip(*found)]
            regions = [p['boxes'] for p in result]
        if self.has_mask():
            mask_logits = self.mask_predictor(self.mask_head(self.mask_roi_pool(features, regions, image_shapes)))
            if self.training:
                losses['loss_mask'] = maskrcnn_loss(mask_logits, regions, [t['masks'] for t in targets],
                                                    [t['labels'] for t in targets], matched)
            else:
                for mask_prob, r in zip(maskrcnn_inference(mask_logits, [r['labels'] for r in result]), result):
                    r['masks'] = mask_prob
        if self.has_keypoint():
            logits = self.keypoint_predictor(self.keypoint_head(self.keypoint_roi_pool(features, regions, image_shapes)))
            if self.training:
                losses['loss_keypoint'] = keypointrcnn_loss(logits, regions, [t['keypoints'] for t in targets], matched)
            else:
                for points, scores, r in zip(*keypointrcnn_inference(logits, regions), result):
                    r['keypoints'] = points
                    r['keypoints_scores'] = scores
        return result, losses
