# SPDX-License-Identifier: Apache-2.0
from torchvision.models._api import named_weights as __getattr__
from torchvision.models.detection.faster_rcnn import (FasterRCNN, fasterrcnn_mobilenet_v3_large_320_fpn,
                                                      fasterrcnn_mobilenet_v3_large_fpn, fasterrcnn_resnet50_fpn,
                                                      fasterrcnn_resnet50_fpn_v2)
from torchvision.models.detection.fcos import FCOS, fcos_resnet50_fpn
from torchvision.models.detection.keypoint_rcnn import KeypointRCNN, keypointrcnn_resnet50_fpn
from torchvision.models.detection.mask_rcnn import MaskRCNN, maskrcnn_resnet50_fpn, maskrcnn_resnet50_fpn_v2
from torchvision.models.detection.retinanet import RetinaNet, retinanet_resnet50_fpn, retinanet_resnet50_fpn_v2
from torchvision.models.detection.ssd import SSD, ssd300_vgg16
from torchvision.models.detection.ssdlite import ssdlite320_mobilenet_v3_large
