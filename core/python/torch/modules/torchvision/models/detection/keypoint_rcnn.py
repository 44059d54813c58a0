# SPDX-License-Identifier: Apache-2.0
import torch.nn.functional as F
from torch import nn
from torchvision.models._api import named_weights, with_weights
from torchvision.models.detection._utils import overwrite_eps
from torchvision.models.detection.backbone_utils import _resnet_fpn_extractor, resnet50_of
from torchvision.models.detection.faster_rcnn import FasterRCNN
from torchvision.ops import MultiScaleRoIAlign

__getattr__ = named_weights


class KeypointRCNN(FasterRCNN):
    def __init__(self, backbone, num_classes=None, min_size=None, *args, keypoint_roi_pool=None, keypoint_head=None,
                 keypoint_predictor=None, num_keypoints=None, **kwargs):
        if not isinstance(keypoint_roi_pool, (MultiScaleRoIAlign, type(None))):
            raise TypeError('keypoint_roi_pool should be of type MultiScaleRoIAlign or None instead of {type(keypoint_roi_pool)}')
        if min_size is None:
            min_size = (640, 672, 704, 736, 768, 800)
        if num_keypoints is not None and keypoint_predictor is not None:
            raise ValueError('num_keypoints should be None when keypoint_predictor is specified')
        if keypoint_roi_pool is None:
            keypoint_roi_pool = MultiScaleRoIAlign(featmap_names=['0', '1', '2', '3'], output_size=14, sampling_ratio=2)
        if keypoint_head is None:
            keypoint_head = KeypointRCNNHeads(backbone.out_channels, (512,) * 8)
        if keypoint_predictor is None:
            keypoint_predictor = KeypointRCNNPredictor(512, 17 if num_keypoints is None else num_keypoints)
        super().__init__(backbone, num_classes, min_size, *args, **kwargs)
        self.roi_heads.keypoint_roi_pool = keypoint_roi_pool
        self.roi_heads.keypoint_head = keypoint_head
        self.roi_heads.keypoint_predictor = keypoint_predictor


class KeypointRCNNHeads(nn.Sequential):
    def __init__(self, in_channels, layers):
        parts = []
        for out_channels in layers:
            parts += [nn.Conv2d(in_channels, out_channels, 3, stride=1, padding=1), nn.ReLU(inplace=True)]
            in_channels = out_channels
        super().__init__(*parts)
        for m in self.children():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode='fan_out', nonlinearity='relu')
                nn.init.constant_(m.bias, 0)


class KeypointRCNNPredictor(nn.Module):
    def __init__(self, in_channels, num_keypoints):
        super().__init__()
        self.kps_score_lowres = nn.ConvTranspose2d(in_channels, num_keypoints, 4, stride=2, padding=1)
        nn.init.kaiming_normal_(self.kps_score_lowres.weight, mode='fan_out', nonlinearity='relu')
        nn.init.constant_(self.kps_score_lowres.bias, 0)
        self.up_scale = 2
        self.out_channels = num_keypoints

    def forward(self, x):
        return F.interpolate(self.kps_score_lowres(x), scale_factor=float(self.up_scale), mode='bilinear', align_corners=False,
                             recompute_scale_factor=False)


def keypointrcnn_resnet50_fpn(*, weights=None, progress=True, num_classes=None, num_keypoints=None,
                              weights_backbone=named_weights('ResNet50_Weights').IMAGENET1K_V1, trainable_backbone_layers=None,
                              pretrained=False, pretrained_backbone=None, **kwargs):
    backbone, layers = resnet50_of(weights, weights_backbone, trainable_backbone_layers, pretrained, pretrained_backbone)
    model = KeypointRCNN(_resnet_fpn_extractor(backbone, layers), 2 if num_classes is None else num_classes,
                         num_keypoints=17 if num_keypoints is None else num_keypoints, **kwargs)
    return with_weights(model, weights, pretrained, then=lambda: overwrite_eps(model, 0.0))
