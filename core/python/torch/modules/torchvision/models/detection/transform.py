# SPDX-License-Identifier: Apache-2.0
import math
import torch
from torch import nn
from torch.nn import functional as F
from torchvision.models.detection.image_list import ImageList
from torchvision.models.detection.roi_heads import paste_masks_in_image


class GeneralizedRCNNTransform(nn.Module):
    """Images [C, H, W] of any sizes, with targets, to one ImageList; and what was found in it back to those sizes."""

    def __init__(self, min_size, max_size, image_mean, image_std, size_divisible=32, fixed_size=None, **kwargs):
        super().__init__()
        self.min_size = min_size if isinstance(min_size, (list, tuple)) else (min_size,)
        self.max_size = max_size
        self.image_mean = image_mean
        self.image_std = image_std
        self.size_divisible = size_divisible
        self.fixed_size = fixed_size
        self._skip_resize = kwargs.pop('_skip_resize', False)

    def forward(self, images, targets=None):
        images = list(images)
        if targets is not None:
            targets = [dict(target) for target in targets]
        for i, image in enumerate(images):
            if image.dim() != 3:
                raise ValueError(f'images is expected to be a list of 3d tensors of shape [C, H, W], got {image.shape}')
            images[i], target = self.resize(self.normalize(image), targets[i] if targets is not None else None)
            if target is not None:
                targets[i] = target
        image_sizes = [(img.shape[-2], img.shape[-1]) for img in images]
        return ImageList(self.batch_images(images, size_divisible=self.size_divisible), image_sizes), targets

    def normalize(self, image):
        if not image.is_floating_point():
            raise TypeError(f'Expected input images to be of floating type (in range [0, 1]), but found type {image.dtype} instead')
        mean = torch.as_tensor(self.image_mean, dtype=image.dtype, device=image.device)
        std = torch.as_tensor(self.image_std, dtype=image.dtype, device=image.device)
        return (image - mean[:, None, None]) / std[:, None, None]

    def torch_choice(self, k):
        return k[int(torch.empty(1).uniform_(0.0, float(len(k))).item())]

    def resize(self, image, target=None):
        before = image.shape[-2:]
        if self.training and self._skip_resize:
            return image, target
        size = self.torch_choice(self.min_size) if self.training else self.min_size[-1]
        if self.fixed_size is not None:
            how = {'size': [self.fixed_size[1], self.fixed_size[0]]}
        else:
            how = {'scale_factor': min(size / min(before), self.max_size / max(before)), 'recompute_scale_factor': True}
        image = F.interpolate(image[None], mode='bilinear', align_corners=False, **how)[0]
        if target is None:
            return image, target
        if 'masks' in target:
            target['masks'] = F.interpolate(target['masks'][:, None].float(), **how)[:, 0].byte()
        target['boxes'] = resize_boxes(target['boxes'], before, image.shape[-2:])
        if 'keypoints' in target:
            target['keypoints'] = resize_keypoints(target['keypoints'], before, image.shape[-2:])
        return image, target

    def max_by_axis(self, the_list):
        return [max(sizes) for sizes in zip(*the_list)]

    def batch_images(self, images, size_divisible=32):
        channels, height, width = self.max_by_axis([list(img.shape) for img in images])
        height, width = [int(math.ceil(float(size) / size_divisible) * size_divisible) for size in (height, width)]
        out = images[0].new_full([len(images), channels, height, width], 0)
        for i, img in enumerate(images):
            out[i, :img.shape[0], :img.shape[1], :img.shape[2]].copy_(img)
        return out

    def postprocess(self, result, image_shapes, original_image_sizes):
        if self.training:
            return result
        for pred, before, after in zip(result, image_shapes, original_image_sizes):
            pred['boxes'] = resize_boxes(pred['boxes'], before, after)
            if 'masks' in pred:
                pred['masks'] = paste_masks_in_image(pred['masks'], pred['boxes'], after)
            if 'keypoints' in pred:
                pred['keypoints'] = resize_keypoints(pred['keypoints'], before, after)
        return result

    def __repr__(self):
        return (f'{self.__class__.__name__}(\n    Normalize(mean={self.image_mean}, std={self.image_std})'
                f"\n    Resize(min_size={self.min_size}, max_size={self.max_size}, mode='bilinear')\n)")


def _ratios(original_size, new_size, device):
    return [torch.tensor(new, dtype=torch.float32, device=device) / torch.tensor(old, dtype=torch.float32, device=device)
            for new, old in zip(new_size, original_size)]


def resize_keypoints(keypoints, original_size, new_size):
    ratio_h, ratio_w = _ratios(original_size, new_size, keypoints.device)
    resized = keypoints.clone()
    resized[..., 0] *= ratio_w
    resized[..., 1] *= ratio_h
    return resized


def resize_boxes(boxes, original_size, new_size):
    ratio_h, ratio_w = _ratios(original_size, new_size, boxes.device)
    xmin, ymin, xmax, ymax = boxes.unbind(1)
    return torch.stack((xmin * ratio_w, ymin * ratio_h, xmax * ratio_w, ymax * ratio_h), dim=1)
