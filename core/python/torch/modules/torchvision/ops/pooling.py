# SPDX-License-Identifier: Apache-2.0
# Regions of interest; the operators are torchvision's own.
import torch
from torch import nn
from torch.nn.modules.utils import _pair


def _rois(boxes):
    if isinstance(boxes, (list, tuple)):
        return torch.cat([torch.cat([torch.full_like(each[:, :1], i), each], 1) for i, each in enumerate(boxes)], 0)
    return boxes


def roi_align(input, boxes, output_size, spatial_scale=1.0, sampling_ratio=-1, aligned=False):
    h, w = _pair(output_size)
    return torch.ops.torchvision.roi_align(input, _rois(boxes), spatial_scale, h, w, sampling_ratio, aligned)


def roi_pool(input, boxes, output_size, spatial_scale=1.0):
    h, w = _pair(output_size)
    return torch.ops.torchvision.roi_pool(input, _rois(boxes), spatial_scale, h, w)[0]


def ps_roi_align(input, boxes, output_size, spatial_scale=1.0, sampling_ratio=-1):
    h, w = _pair(output_size)
    return torch.ops.torchvision.ps_roi_align(input, _rois(boxes), spatial_scale, h, w, sampling_ratio)[0]


def ps_roi_pool(input, boxes, output_size, spatial_scale=1.0):
    h, w = _pair(output_size)
    return torch.ops.torchvision.ps_roi_pool(input, _rois(boxes), spatial_scale, h, w)[0]


class RoIAlign(nn.Module):
    def __init__(self, output_size, spatial_scale, sampling_ratio, aligned=False):
        super().__init__()
        self.output_size = output_size
        self.spatial_scale = spatial_scale
        self.sampling_ratio = sampling_ratio
        self.aligned = aligned

    def forward(self, input, rois):
        return roi_align(input, rois, self.output_size, self.spatial_scale, self.sampling_ratio, self.aligned)


class RoIPool(nn.Module):
    def __init__(self, output_size, spatial_scale):
        super().__init__()
        self.output_size = output_size
        self.spatial_scale = spatial_scale

    def forward(self, input, rois):
        return roi_pool(input, rois, self.output_size, self.spatial_scale)


class PSRoIAlign(nn.Module):
    def __init__(self, output_size, spatial_scale, sampling_ratio):
        super().__init__()
        self.output_size = output_size
        self.spatial_scale = spatial_scale
        self.sampling_ratio = sampling_ratio

    def forward(self, input, rois):
        return ps_roi_align(input, rois, self.output_size, self.spatial_scale, self.sampling_ratio)


class PSRoIPool(RoIPool):
    def forward(self, input, rois):
        return ps_roi_pool(input, rois, self.output_size, self.spatial_scale)


class MultiScaleRoIAlign(nn.Module):
    def __init__(self, featmap_names, output_size, sampling_ratio, *, canonical_scale=224, canonical_level=4):
        super().__init__()
        self.featmap_names = featmap_names
        self.output_size = tuple(_pair(output_size))
        self.sampling_ratio = sampling_ratio
        self.canonical_scale = canonical_scale
        self.canonical_level = canonical_level

    def forward(self, x, boxes, image_shapes):
        features = [x[name] for name in x if name in self.featmap_names]
        largest = max(shape[0] for shape in image_shapes)
        scales = [2.0 ** float(torch.tensor(each.shape[-2] / largest).log2().round()) for each in features]
        rois = _rois(boxes)
        if len(features) == 1:
            return roi_align(features[0], rois, self.output_size, scales[0], self.sampling_ratio)
        low, high = [-torch.tensor(scale).log2().item() for scale in (scales[0], scales[-1])]
        side = torch.sqrt((rois[:, 3] - rois[:, 1]) * (rois[:, 4] - rois[:, 2]))
        levels = torch.floor(self.canonical_level + torch.log2(side / self.canonical_scale) + 1e-6).clamp(low, high).long() - int(low)
        out = torch.zeros((len(rois), features[0].shape[1]) + self.output_size, dtype=features[0].dtype, device=features[0].device)
        for i, (feature, scale) in enumerate(zip(features, scales)):
            found = torch.where(levels == i)[0]
            out[found] = roi_align(feature, rois[found], self.output_size, scale, self.sampling_ratio)
        return out

    def __repr__(self):
        return (f'{self.__class__.__name__}(featmap_names={self.featmap_names}, output_size={self.output_size}, '
                f'sampling_ratio={self.sampling_ratio})')
