# SPDX-License-Identifier: Apache-2.0
from collections import OrderedDict
import torch
from torch import nn
from torchvision.models.detection import _utils as det_utils


class GeneralizedRCNN(nn.Module):
    """Images [C, H, W] of any sizes to a dict of what was found in each; in training, with targets, to a dict of losses."""

    def __init__(self, backbone, rpn, roi_heads, transform):
        super().__init__()
        self.transform = transform
        self.backbone = backbone
        self.rpn = rpn
        self.roi_heads = roi_heads
        self._has_warned = False

    def eager_outputs(self, losses, detections):
        return losses if self.training else detections

    def forward(self, images, targets=None):
        if self.training:
            det_utils.check_targets_are_boxes(targets)
        original_sizes = det_utils.sizes_of_images(images)
        images, targets = self.transform(images, targets)
        det_utils.check_boxes_have_sizes(targets)
        features = self.backbone(images.tensors)
        if isinstance(features, torch.Tensor):
            features = OrderedDict([('0', features)])
        proposals, proposal_losses = self.rpn(images, features, targets)
        detections, detector_losses = self.roi_heads(features, proposals, images.image_sizes, targets)
        detections = self.transform.postprocess(detections, images.image_sizes, original_sizes)
        return self.eager_outputs({**detector_losses, **proposal_losses}, detections)
