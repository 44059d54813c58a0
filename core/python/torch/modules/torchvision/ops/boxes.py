# SPDX-License-Identifier: Apache-2.0
# Boxes as [N, 4], (x1, y1, x2, y2).
import torch


def _union_of(boxes1, boxes2):
    area1, area2 = box_area(boxes1), box_area(boxes2)
    lt = torch.max(boxes1[:, None, :2], boxes2[:, :2])
    rb = torch.min(boxes1[:, None, 2:], boxes2[:, 2:])
    wh = (rb - lt).clamp(min=0)
    inter = wh[:, :, 0] * wh[:, :, 1]
    return inter, area1[:, None] + area2 - inter


def box_area(boxes):
    boxes = boxes if boxes.is_floating_point() else boxes.float()
    return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])


def box_iou(boxes1, boxes2):
    inter, union = _union_of(boxes1, boxes2)
    return inter / union


def generalized_box_iou(boxes1, boxes2):
    inter, union = _union_of(boxes1, boxes2)
    lti = torch.min(boxes1[:, None, :2], boxes2[:, :2])
    rbi = torch.max(boxes1[:, None, 2:], boxes2[:, 2:])
    whi = (rbi - lti).clamp(min=0)
    areai = whi[:, :, 0] * whi[:, :, 1]
    return inter / union - (areai - union) / areai


def _distance(boxes1, boxes2, eps):
    iou = box_iou(boxes1, boxes2)
    lti = torch.min(boxes1[:, None, :2], boxes2[:, :2])
    rbi = torch.max(boxes1[:, None, 2:], boxes2[:, 2:])
    whi = (rbi - lti).clamp(min=0)
    diagonal = whi[:, :, 0] ** 2 + whi[:, :, 1] ** 2 + eps
    center1, center2 = (boxes1[:, :2] + boxes1[:, 2:]) / 2, (boxes2[:, :2] + boxes2[:, 2:]) / 2
    distance = ((center1[:, None] - center2[None]) ** 2).sum(-1)
    return iou - distance / diagonal, iou


def distance_box_iou(boxes1, boxes2, eps=1e-7):
    return _distance(boxes1, boxes2, eps)[0]


def complete_box_iou(boxes1, boxes2, eps=1e-7):
    diou, iou = _distance(boxes1, boxes2, eps)
    w1, h1 = boxes1[:, None, 2] - boxes1[:, None, 0], boxes1[:, None, 3] - boxes1[:, None, 1]
    w2, h2 = boxes2[:, 2] - boxes2[:, 0], boxes2[:, 3] - boxes2[:, 1]
    v = (4 / torch.pi ** 2) * torch.pow(torch.atan(w1 / h1) - torch.atan(w2 / h2), 2)
    with torch.no_grad():
        alpha = v / (1 - iou + v + eps)
    return diou - alpha * v


def box_convert(boxes, in_fmt, out_fmt):
    if in_fmt not in ('xyxy', 'xywh', 'cxcywh') or out_fmt not in ('xyxy', 'xywh', 'cxcywh'):
        raise ValueError('Unsupported Bounding Box Conversions for given in_fmt and out_fmt')
    a, b, c, d = boxes.unbind(-1)
    if in_fmt == 'xywh':
        a, b, c, d = a, b, a + c, b + d
    elif in_fmt == 'cxcywh':
        a, b, c, d = a - 0.5 * c, b - 0.5 * d, a + 0.5 * c, b + 0.5 * d
    if out_fmt == 'xywh':
        c, d = c - a, d - b
    elif out_fmt == 'cxcywh':
        a, b, c, d = (a + c) / 2, (b + d) / 2, c - a, d - b
    return torch.stack((a, b, c, d), dim=-1)


def clip_boxes_to_image(boxes, size):
    height, width = size
    x = boxes[..., 0::2].clamp(min=0, max=width)
    y = boxes[..., 1::2].clamp(min=0, max=height)
    return torch.stack((x, y), dim=boxes.dim()).reshape(boxes.shape)


def remove_small_boxes(boxes, min_size):
    ws, hs = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    return torch.where((ws >= min_size) & (hs >= min_size))[0]


def masks_to_boxes(masks):
    out = torch.zeros((masks.shape[0], 4), dtype=torch.float)
    for i, mask in enumerate(masks):
        y, x = torch.where(mask != 0)
        out[i] = torch.stack([x.min(), y.min(), x.max(), y.max()]).float()
    return out


def nms(boxes, scores, iou_threshold):
    return torch.ops.torchvision.nms(boxes, scores, iou_threshold)


def batched_nms(boxes, scores, idxs, iou_threshold):
    if boxes.numel() == 0:
        return torch.empty((0,), dtype=torch.int64)
    if boxes.numel() > (4000 if boxes.device.type == 'cpu' else 20000):
        keep = torch.zeros_like(scores, dtype=torch.bool)
        for each in torch.unique(idxs):
            own = torch.where(idxs == each)[0]
            keep[own[nms(boxes[own], scores[own], iou_threshold)]] = True
        keep = torch.where(keep)[0]
        return keep[scores[keep].sort(descending=True)[1]]
    offsets = idxs.to(boxes) * (boxes.max() + torch.tensor(1).to(boxes))
    return nms(boxes + offsets[:, None], scores, iou_threshold)
