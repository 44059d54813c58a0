# SPDX-License-Identifier: Apache-2.0
from collections import OrderedDict
from torch import nn
from torch.nn import functional as F
from torchvision.models import mobilenetv3, resnet
from torchvision.models._api import named_weights, with_weights
from torchvision.models._utils import IntermediateLayerGetter
from torchvision.models.detection.backbone_utils import stages_of


class _SimpleSegmentationModel(nn.Module):
    """An image [N, 3, H, W] to a dict of logits [N, classes, H, W]: 'out', and 'aux' of an earlier layer."""
    __constants__ = ['aux_classifier']

    def __init__(self, backbone, classifier, aux_classifier=None):
        super().__init__()
        self.backbone = backbone
        self.classifier = classifier
        self.aux_classifier = aux_classifier

    def forward(self, x):
        size = x.shape[-2:]
        features = self.backbone(x)
        result = OrderedDict(out=F.interpolate(self.classifier(features['out']), size=size, mode='bilinear', align_corners=False))
        if self.aux_classifier is not None:
            result['aux'] = F.interpolate(self.aux_classifier(features['aux']), size=size, mode='bilinear', align_corners=False)
        return result


def on_resnet(name, weights_name, of):
    """of(layers, channels, early channels, num_classes, aux) makes the model."""
    default = getattr(named_weights(weights_name), 'IMAGENET1K_V1')

    def make(*, weights=None, progress=True, num_classes=None, aux_loss=None, weights_backbone=default, pretrained=False,
             pretrained_backbone=None, **kwargs):
        has_weights = weights is not None or pretrained
        if pretrained_backbone is not None:
            weights_backbone = default if pretrained_backbone else None
        backbone = getattr(resnet, name)(weights=None if has_weights else weights_backbone,
                                         replace_stride_with_dilation=[False, True, True])
        aux = True if has_weights and aux_loss is None else aux_loss
        layers = {'layer4': 'out', **({'layer3': 'aux'} if aux else {})}
        model = of(IntermediateLayerGetter(backbone, return_layers=layers), 2048, 1024, 21 if num_classes is None else num_classes, aux)
        return with_weights(model, weights, pretrained)
    return make


def on_mobilenet(of, early_name):
    default = named_weights('MobileNet_V3_Large_Weights').IMAGENET1K_V1

    def make(*, weights=None, progress=True, num_classes=None, aux_loss=None, weights_backbone=default, pretrained=False,
             pretrained_backbone=None, **kwargs):
        if early_name == 'low' and aux_loss:
            raise NotImplementedError('This model does not use auxiliary loss')
        has_weights = weights is not None or pretrained
        if pretrained_backbone is not None:
            weights_backbone = default if pretrained_backbone else None
        backbone = mobilenetv3.mobilenet_v3_large(weights=None if has_weights else weights_backbone, dilated=True).features
        stages = stages_of(backbone)
        last, early = stages[-1], stages[-4]
        aux = True if has_weights and aux_loss is None else aux_loss
        layers = {str(early): 'low', str(last): 'high'} if early_name == 'low' else {
            str(last): 'out', **({str(early): 'aux'} if aux else {})}
        model = of(IntermediateLayerGetter(backbone, return_layers=layers), backbone[last].out_channels, backbone[early].out_channels,
                   21 if num_classes is None else num_classes, aux)
        return with_weights(model, weights, pretrained)
    return make
