# SPDX-License-Identifier: Apache-2.0
import math
import torch
from torch import nn


class AnchorGenerator(nn.Module):
    """Boxes [places * shapes, 4] of an image: at every place of every feature map each size in each aspect ratio."""

    def __init__(self, sizes=((128, 256, 512),), aspect_ratios=((0.5, 1.0, 2.0),)):
        super().__init__()
        if not isinstance(sizes[0], (list, tuple)):
            sizes = tuple((s,) for s in sizes)
        if not isinstance(aspect_ratios[0], (list, tuple)):
            aspect_ratios = (aspect_ratios,) * len(sizes)
        self.sizes = sizes
        self.aspect_ratios = aspect_ratios
        self.cell_anchors = [self.generate_anchors(size, ratio) for size, ratio in zip(sizes, aspect_ratios)]

    def generate_anchors(self, scales, aspect_ratios, dtype=torch.float32, device=torch.device('cpu')):
        scales = torch.as_tensor(scales, dtype=dtype, device=device)
        h_ratios = torch.sqrt(torch.as_tensor(aspect_ratios, dtype=dtype, device=device))
        w_ratios = 1 / h_ratios
        ws = (w_ratios[:, None] * scales[None, :]).view(-1)
        hs = (h_ratios[:, None] * scales[None, :]).view(-1)
        return (torch.stack([-ws, -hs, ws, hs], dim=1) / 2).round()

    def set_cell_anchors(self, dtype, device):
        self.cell_anchors = [each.to(dtype=dtype, device=device) for each in self.cell_anchors]

    def num_anchors_per_location(self):
        return [len(s) * len(a) for s, a in zip(self.sizes, self.aspect_ratios)]

    def grid_anchors(self, grid_sizes, strides):
        torch._assert(len(grid_sizes) == len(strides) == len(self.cell_anchors),
                      'Anchors should be Tuple[Tuple[int]] because each feature map could potentially have different sizes and aspect '
                      'ratios. There needs to be a match between the number of feature maps passed and the number of sizes / aspect '
                      'ratios specified.')
        anchors = []
        for size, stride, base in zip(grid_sizes, strides, self.cell_anchors):
            shifts_x = torch.arange(0, size[1], dtype=torch.int32, device=base.device) * stride[1]
            shifts_y = torch.arange(0, size[0], dtype=torch.int32, device=base.device) * stride[0]
            shift_y, shift_x = torch.meshgrid(shifts_y, shifts_x, indexing='ij')
            shift_x, shift_y = shift_x.reshape(-1), shift_y.reshape(-1)
            shifts = torch.stack((shift_x, shift_y, shift_x, shift_y), dim=1)
            anchors.append((shifts.view(-1, 1, 4) + base.view(1, -1, 4)).reshape(-1, 4))
        return anchors

    def forward(self, image_list, feature_maps):
        grid_sizes = [feature_map.shape[-2:] for feature_map in feature_maps]
        height, width = image_list.tensors.shape[-2:]
        self.set_cell_anchors(feature_maps[0].dtype, feature_maps[0].device)
        anchors = torch.cat(self.grid_anchors(grid_sizes, [(height // g[0], width // g[1]) for g in grid_sizes]))
        return [anchors for _ in image_list.image_sizes]


class DefaultBoxGenerator(nn.Module):
    """SSD: Single Shot MultiBox Detector (Liu et al., 2016): its default boxes, in pixels."""

    def __init__(self, aspect_ratios, min_ratio=0.15, max_ratio=0.9, scales=None, steps=None, clip=True):
        super().__init__()
        if steps is not None and len(aspect_ratios) != len(steps):
            raise ValueError('aspect_ratios and steps should have the same length')
        self.aspect_ratios = aspect_ratios
        self.steps = steps
        self.clip = clip
        num_outputs = len(aspect_ratios)
        if scales is not None:
            self.scales = scales
        elif num_outputs > 1:
            step = max_ratio - min_ratio
            self.scales = [min_ratio + step * k / (num_outputs - 1.0) for k in range(num_outputs)] + [1.0]
        else:
            self.scales = [min_ratio, max_ratio]
        self._wh_pairs = self._generate_wh_pairs(num_outputs)

    def _generate_wh_pairs(self, num_outputs, dtype=torch.float32, device=torch.device('cpu')):
        out = []
        for k in range(num_outputs):
            scale = self.scales[k]
            between = math.sqrt(scale * self.scales[k + 1])
            pairs = [[scale, scale], [between, between]]
            for ratio in self.aspect_ratios[k]:
                root = math.sqrt(ratio)
                pairs.extend([[scale * root, scale / root], [scale / root, scale * root]])
            out.append(torch.as_tensor(pairs, dtype=dtype, device=device))
        return out

    def num_anchors_per_location(self):
        return [2 + 2 * len(r) for r in self.aspect_ratios]

    def _grid_default_boxes(self, grid_sizes, image_size, dtype=torch.float32):
        default_boxes = []
        for k, grid in enumerate(grid_sizes):
            if self.steps is not None:
                across, down = image_size[1] / self.steps[k], image_size[0] / self.steps[k]
            else:
                down, across = grid
            shifts_x = ((torch.arange(0, grid[1]) + 0.5) / across).to(dtype=dtype)
            shifts_y = ((torch.arange(0, grid[0]) + 0.5) / down).to(dtype=dtype)
            shift_y, shift_x = torch.meshgrid(shifts_y, shifts_x, indexing='ij')
            pairs = self._wh_pairs[k]
            shifts = torch.stack((shift_x.reshape(-1), shift_y.reshape(-1)) * len(pairs), dim=-1).reshape(-1, 2)
            pairs = pairs.clamp(min=0, max=1) if self.clip else pairs
            default_boxes.append(torch.cat((shifts, pairs.repeat(grid[0] * grid[1], 1)), dim=1))
        return torch.cat(default_boxes, dim=0)

    def __repr__(self):
        return (f'{self.__class__.__name__}(aspect_ratios={self.aspect_ratios}, clip={self.clip}, scales={self.scales}, '
                f'steps={self.steps})')

    def forward(self, image_list, feature_maps):
        grid_sizes = [feature_map.shape[-2:] for feature_map in feature_maps]
        height, width = image_list.tensors.shape[-2:]
        boxes = self._grid_default_boxes(grid_sizes, (height, width), dtype=feature_maps[0].dtype).to(feature_maps[0].device)
        size = torch.tensor([width, height], device=boxes.device)
        boxes = torch.cat([(boxes[:, :2] - 0.5 * boxes[:, 2:]) * size, (boxes[:, :2] + 0.5 * boxes[:, 2:]) * size], -1)
        return [boxes for _ in image_list.image_sizes]
