# SPDX-License-Identifier: Apache-2.0
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
        images, targets, original_sizes, features = det_utils.features_of(self, images, targets)
        proposals, proposal_losses = self.rpn(images, features, targets)
        detections, detector_losses = self.roi_heads(features, proposals, images.image_sizes, targets)
        detections = self.transform.postprocess(detections, images.image_sizes, original_sizes)
        return self.eager_outputs({**detector_losses, **proposal_losses}, detections)
