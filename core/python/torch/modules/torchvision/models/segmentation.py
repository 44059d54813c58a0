# SPDX-License-Identifier: Apache-2.0
from torchvision.models._api import named_weights as __getattr__
from torchvision.models.segmentation.deeplabv3 import DeepLabV3, deeplabv3_mobilenet_v3_large, deeplabv3_resnet50, deeplabv3_resnet101
from torchvision.models.segmentation.fcn import FCN, fcn_resnet50, fcn_resnet101
from torchvision.models.segmentation.lraspp import LRASPP, lraspp_mobilenet_v3_large
