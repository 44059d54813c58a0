# SPDX-License-Identifier: Apache-2.0
import torch.nn.functional as F
from torch import nn
from torchvision.models import mobilenetv3
from torchvision.models._api import named_weights, with_weights
from torchvision.models.detection._utils import init_convolutions, overwrite_eps
from torchvision.models.detection.anchor_utils import AnchorGenerator
from torchvision.models.detection.backbone_utils import (_mobilenet_extractor, _resnet_fpn_extractor, _validate_trainable_layers,
                                                         resnet50_of)
from torchvision.models.detection.generalized_rcnn import GeneralizedRCNN
from torchvision.models.detection.roi_heads import RoIHeads
from torchvision.models.detection.rpn import RegionProposalNetwork, RPNHead
from torchvision.models.detection.transform import GeneralizedRCNNTransform
from torchvision.ops import MultiScaleRoIAlign, misc as misc_nn_ops

__getattr__ = named_weights
MEAN, STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]


def _default_anchorgen():
    sizes = ((32,), (64,), (128,), (256,), (512,))
    return AnchorGenerator(sizes, ((0.5, 1.0, 2.0),) * len(sizes))


class FasterRCNN(GeneralizedRCNN):
    def __init__(self, backbone, num_classes=None, min_size=800, max_size=1333, image_mean=None, image_std=None,
                 rpn_anchor_generator=None, rpn_head=None, rpn_pre_nms_top_n_train=2000, rpn_pre_nms_top_n_test=1000,
                 rpn_post_nms_top_n_train=2000, rpn_post_nms_top_n_test=1000, rpn_nms_thresh=0.7, rpn_fg_iou_thresh=0.7,
                 rpn_bg_iou_thresh=0.3, rpn_batch_size_per_image=256, rpn_positive_fraction=0.5, rpn_score_thresh=0.0,
                 box_roi_pool=None, box_head=None, box_predictor=None, box_score_thresh=0.05, box_nms_thresh=0.5,
                 box_detections_per_img=100, box_fg_iou_thresh=0.5, box_bg_iou_thresh=0.5, box_batch_size_per_image=512,
                 box_positive_fraction=0.25, bbox_reg_weights=None, **kwargs):
        if not hasattr(backbone, 'out_channels'):
            raise ValueError('backbone should contain an attribute out_channels specifying the number of output channels (assumed to be '
                             'the same for all the levels)')
        if not isinstance(rpn_anchor_generator, (AnchorGenerator, type(None))):
            raise TypeError(f'rpn_anchor_generator should be of type AnchorGenerator or None instead of {type(rpn_anchor_generator)}')
        if not isinstance(box_roi_pool, (MultiScaleRoIAlign, type(None))):
            raise TypeError(f'box_roi_pool should be of type MultiScaleRoIAlign or None instead of {type(box_roi_pool)}')
        if num_classes is not None and box_predictor is not None:
            raise ValueError('num_classes should be None when box_predictor is specified')
        if num_classes is None and box_predictor is None:
            raise ValueError('num_classes should not be None when box_predictor is not specified')
        out_channels = backbone.out_channels
        if rpn_anchor_generator is None:
            rpn_anchor_generator = _default_anchorgen()
        if rpn_head is None:
            rpn_head = RPNHead(out_channels, rpn_anchor_generator.num_anchors_per_location()[0])
        rpn = RegionProposalNetwork(rpn_anchor_generator, rpn_head, rpn_fg_iou_thresh, rpn_bg_iou_thresh, rpn_batch_size_per_image,
                                    rpn_positive_fraction,
                                    {'training': rpn_pre_nms_top_n_train, 'testing': rpn_pre_nms_top_n_test},
                                    {'training': rpn_post_nms_top_n_train, 'testing': rpn_post_nms_top_n_test}, rpn_nms_thresh,
                                    score_thresh=rpn_score_thresh)
        if box_roi_pool is None:
            box_roi_pool = MultiScaleRoIAlign(featmap_names=['0', '1', '2', '3'], output_size=7, sampling_ratio=2)
        if box_head is None:
            box_head = TwoMLPHead(out_channels * box_roi_pool.output_size[0] ** 2, 1024)
        if box_predictor is None:
            box_predictor = FastRCNNPredictor(1024, num_classes)
        roi_heads = RoIHeads(box_roi_pool, box_head, box_predictor, box_fg_iou_thresh, box_bg_iou_thresh, box_batch_size_per_image,
                             box_positive_fraction, bbox_reg_weights, box_score_thresh, box_nms_thresh, box_detections_per_img)
        transform = GeneralizedRCNNTransform(min_size, max_size, image_mean or MEAN, image_std or STD, **kwargs)
        super().__init__(backbone, rpn, roi_heads, transform)


class TwoMLPHead(nn.Module):
    def __init__(self, in_channels, representation_size):
        super().__init__()
        self.fc6 = nn.Linear(in_channels, representation_size)
        self.fc7 = nn.Linear(representation_size, representation_size)

    def forward(self, x):
        return F.relu(self.fc7(F.relu(self.fc6(x.flatten(start_dim=1)))))


class FastRCNNConvFCHead(nn.Sequential):
    def __init__(self, input_size, conv_layers, fc_layers, norm_layer=None):
        channels, height, width = input_size
        blocks = []
        for each in conv_layers:
            blocks.append(misc_nn_ops.Conv2dNormActivation(channels, each, norm_layer=norm_layer))
            channels = each
        blocks.append(nn.Flatten())
        features = channels * height * width
        for each in fc_layers:
            blocks += [nn.Linear(features, each), nn.ReLU(inplace=True)]
            features = each
        super().__init__(*blocks)
        init_convolutions(self, lambda weight: nn.init.kaiming_normal_(weight, mode='fan_out', nonlinearity='relu'))


class FastRCNNPredictor(nn.Module):
    def __init__(self, in_channels, num_classes):
        super().__init__()
        self.cls_score = nn.Linear(in_channels, num_classes)
        self.bbox_pred = nn.Linear(in_channels, num_classes * 4)

    def forward(self, x):
        if x.dim() == 4 and list(x.shape[2:]) != [1, 1]:
            raise AssertionError(f'x has the wrong shape, expecting the last two dimensions to be [1,1] instead of {list(x.shape[2:])}')
        x = x.flatten(start_dim=1)
        return self.cls_score(x), self.bbox_pred(x)


_RESNET50 = named_weights('ResNet50_Weights').IMAGENET1K_V1
_MOBILENET = named_weights('MobileNet_V3_Large_Weights').IMAGENET1K_V1


def fasterrcnn_resnet50_fpn(*, weights=None, progress=True, num_classes=None, weights_backbone=_RESNET50, trainable_backbone_layers=None,
                            pretrained=False, pretrained_backbone=None, **kwargs):
    backbone, layers = resnet50_of(weights, weights_backbone, trainable_backbone_layers, pretrained, pretrained_backbone)
    model = FasterRCNN(_resnet_fpn_extractor(backbone, layers), num_classes=91 if num_classes is None else num_classes, **kwargs)
    return with_weights(model, weights, pretrained, then=lambda: overwrite_eps(model, 0.0))


def fasterrcnn_resnet50_fpn_v2(*, weights=None, progress=True, num_classes=None, weights_backbone=None, trainable_backbone_layers=None,
                               pretrained=False, pretrained_backbone=None, **kwargs):
    backbone, layers = resnet50_of(weights, weights_backbone, trainable_backbone_layers, pretrained, pretrained_backbone, frozen=False)
    backbone = _resnet_fpn_extractor(backbone, layers, norm_layer=nn.BatchNorm2d)
    anchors = _default_anchorgen()
    model = FasterRCNN(backbone, num_classes=91 if num_classes is None else num_classes, rpn_anchor_generator=anchors,
                       rpn_head=RPNHead(backbone.out_channels, anchors.num_anchors_per_location()[0], conv_depth=2),
                       box_head=FastRCNNConvFCHead((backbone.out_channels, 7, 7), [256, 256, 256, 256], [1024],
                                                   norm_layer=nn.BatchNorm2d), **kwargs)
    return with_weights(model, weights, pretrained)


def _on_mobilenet(defaults):
    def make(*, weights=None, progress=True, num_classes=None, weights_backbone=_MOBILENET, trainable_backbone_layers=None,
             pretrained=False, pretrained_backbone=None, **kwargs):
        has_weights = weights is not None or pretrained
        if pretrained_backbone is not None:
            weights_backbone = _MOBILENET if pretrained_backbone else None
        if has_weights:
            weights_backbone = None
        is_trained = has_weights or weights_backbone is not None
        layers = _validate_trainable_layers(is_trained, trainable_backbone_layers, 6, 3)
        backbone = mobilenetv3.mobilenet_v3_large(weights=weights_backbone,
                                                  norm_layer=misc_nn_ops.FrozenBatchNorm2d if is_trained else nn.BatchNorm2d)
        backbone = _mobilenet_extractor(backbone, True, layers)
        sizes = ((32, 64, 128, 256, 512),) * 3
        model = FasterRCNN(backbone, 91 if num_classes is None else num_classes,
                           rpn_anchor_generator=AnchorGenerator(sizes, ((0.5, 1.0, 2.0),) * len(sizes)), **{**defaults, **kwargs})
        return with_weights(model, weights, pretrained)
    return make


fasterrcnn_mobilenet_v3_large_320_fpn = _on_mobilenet({'min_size': 320, 'max_size': 640, 'rpn_pre_nms_top_n_test': 150,
                                                       'rpn_post_nms_top_n_test': 150, 'rpn_score_thresh': 0.05})
fasterrcnn_mobilenet_v3_large_fpn = _on_mobilenet({'rpn_score_thresh': 0.05})
