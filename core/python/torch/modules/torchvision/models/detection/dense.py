# SPDX-License-Identifier: Apache-2.0
# Detectors that score each place of each level of a pyramid.
import torch
from torch import nn
from torchvision.models.detection import _utils as det_utils
from torchvision.ops import boxes as box_ops


def check_backbone(backbone):
    if not hasattr(backbone, 'out_channels'):
        raise ValueError('backbone should contain an attribute out_channels specifying the number of output channels (assumed to be '
                         'the same for all the levels)')


class LevelDetector(nn.Module):
    """Derived classes have losses_of(targets, head_outputs, anchors, places of each level), scores_of(head outputs of a level of an
    image) and boxes_of(regression, anchors); scores: [places, classes]."""

    def eager_outputs(self, losses, detections):
        return losses if self.training else detections

    def _of_level(self, outputs, anchors, image_shape):
        scores = self.scores_of(outputs)
        num_classes = scores.shape[-1]
        scores = scores.flatten()
        keep = scores > self.score_thresh
        scores = scores[keep]
        places = torch.where(keep)[0]
        scores, best = scores.topk(det_utils._topk_min(places, self.topk_candidates, 0))
        places = places[best]
        which = torch.div(places, num_classes, rounding_mode='floor')
        boxes = self.boxes_of(outputs['bbox_regression'][which], anchors[which])
        return box_ops.clip_boxes_to_image(boxes, image_shape), scores, places % num_classes

    def postprocess_detections(self, head_outputs, anchors, image_shapes):
        detections = []
        for i, image_shape in enumerate(image_shapes):
            found = [self._of_level({name: levels[level][i] for name, levels in head_outputs.items()}, anchor, image_shape)
                     for level, anchor in enumerate(anchors[i])]
            boxes, scores, labels = [torch.cat(parts, dim=0) for parts in zip(*found)]
            keep = box_ops.batched_nms(boxes, scores, labels, self.nms_thresh)[:self.detections_per_img]
            detections.append({'boxes': boxes[keep], 'scores': scores[keep], 'labels': labels[keep]})
        return detections

    def forward(self, images, targets=None):
        images, targets, original_sizes, features = det_utils.features_of(self, images, targets, says_shape=self.says_shape)
        features = list(features.values())
        head_outputs = self.head(features)
        anchors = self.anchor_generator(images, features)
        places = [x.size(2) * x.size(3) for x in features]
        if self.training:
            return self.eager_outputs(self.losses_of(targets, head_outputs, anchors, places), [])
        each = head_outputs['cls_logits'].size(1) // sum(places)
        counts = [count * each for count in places]
        split = {k: list(v.split(counts, dim=1)) for k, v in head_outputs.items()}
        detections = self.postprocess_detections(split, [list(a.split(counts)) for a in anchors], images.image_sizes)
        return self.eager_outputs({}, self.transform.postprocess(detections, images.image_sizes, original_sizes))
