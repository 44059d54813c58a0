# SPDX-License-Identifier: Apache-2.0
class ImageList:
    """Images of several sizes in one tensor [N, C, H, W], and the (height, width) of each before it was padded."""

    def __init__(self, tensors, image_sizes):
        self.tensors = tensors
        self.image_sizes = image_sizes

    def to(self, device):
        return ImageList(self.tensors.to(device), self.image_sizes)
