import warnings
import torch
from torchvision.models import detection, segmentation

warnings.simplefilter('ignore')
torch.set_printoptions(sci_mode=False)


def rounded(tensor):
    return [float(f'{v + 0.0:.2g}') if abs(v) > 1e-4 else 0.0 for v in tensor.flatten()[:6].tolist()]


def show(name, model, images, targets):
    print(name, sum(p.numel() for p in model.parameters()), len(model.state_dict()), list(model.state_dict())[-1],
          sum(p.requires_grad for p in model.parameters()))
    model.eval()
    with torch.no_grad():
        for found in model(images):
            print({k: (tuple(v.shape), rounded(v.float())) for k, v in found.items()})
    model.train()
    torch.manual_seed(1)
    losses = model(images, targets)
    print({k: rounded(v) for k, v in losses.items()})
    sum(losses.values()).backward()
    print([rounded(p.grad.abs().sum()) for p in list(model.parameters())[-2:]])


torch.manual_seed(0)
images = [torch.rand(3, 60, 80), torch.rand(3, 70, 50)]
targets = [{'boxes': torch.tensor([[5.0, 5.0, 40.0, 30.0], [20.0, 10.0, 60.0, 55.0]]), 'labels': torch.tensor([1, 2]),
            'masks': (torch.rand(2, 60, 80) > 0.5).byte(), 'keypoints': torch.rand(2, 17, 3) * 30 + 10},
           {'boxes': torch.tensor([[2.0, 3.0, 45.0, 60.0]]), 'labels': torch.tensor([1]), 'masks': (torch.rand(1, 70, 50) > 0.5).byte(),
            'keypoints': torch.rand(1, 17, 3) * 30 + 10}]
small = dict(weights=None, weights_backbone=None, min_size=64, max_size=96)
found = dict(box_detections_per_img=4, rpn_post_nms_top_n_test=20, rpn_post_nms_top_n_train=40)
rcnn = dict(num_classes=3, box_score_thresh=0.0, **small, **found)
show('fasterrcnn v2', detection.fasterrcnn_resnet50_fpn_v2(**rcnn), images, targets)
show('maskrcnn v2', detection.maskrcnn_resnet50_fpn_v2(**{**rcnn, 'box_detections_per_img': 3}), images, targets)
for name in ('fasterrcnn_mobilenet_v3_large_fpn', 'fasterrcnn_mobilenet_v3_large_320_fpn'):
    model = getattr(detection, name)(**{**rcnn, 'rpn_score_thresh': 0.0})
    # Untrained, all boxes score alike: which is best is left to rounding, what is scored is not.
    with torch.no_grad():
        seen = model.eval().backbone(torch.stack([images[0], images[0].flip(1)]))
        print(name, {k: (tuple(v.shape), rounded(v / v.abs().max())) for k, v in seen.items()})
        print([rounded(v / v.abs().max()) for v in model.rpn.head(list(seen.values()))[0]])
        boxes = [torch.tensor([[2.0, 3.0, 45.0, 60.0], [5.0, 5.0, 40.0, 30.0]])] * 2
        pooled = model.roi_heads.box_roi_pool(seen, boxes, [(60, 80)] * 2)
        print([rounded(v) for v in model.roi_heads.box_predictor(model.roi_heads.box_head(pooled))])
        print([{k: tuple(v.shape) for k, v in found.items()} for found in model(images)])
    print(model.transform, model.rpn.pre_nms_top_n(), model.rpn.post_nms_top_n(), model.rpn.anchor_generator)
    model.train()
    torch.manual_seed(1)
    print({k: rounded(v) for k, v in model(images, targets).items()})
level = dict(num_classes=3, score_thresh=0.0, detections_per_img=4)
show('retinanet v2', detection.retinanet_resnet50_fpn_v2(**level, **small), images, targets)
model = detection.fcos_resnet50_fpn(**level, **small)
show('fcos', model, images, targets)
print(model.head.regression_head, model.anchor_generator)
empty = [{'boxes': torch.zeros(0, 4), 'labels': torch.zeros(0, dtype=torch.long)}, targets[1]]
print({k: rounded(v) for k, v in model(images, empty).items()})
for radius in (0.2, 4.0):
    model.center_sampling_radius = radius
    print({k: rounded(v) for k, v in model(images, targets).items()})
try:
    model(images, [{'boxes': torch.zeros(3), 'labels': torch.zeros(1)}] * 2)
except AssertionError as error:
    print(error)
try:
    detection.FCOS(model.backbone, 3, anchor_generator=model.anchor_generator.__class__(((8, 16),), ((1.0,),)))
except ValueError as error:
    print(error)
model = detection.ssdlite320_mobilenet_v3_large(weights_backbone=None, **level)
show('ssdlite', model, images, targets)
print(model.anchor_generator, model.backbone.extra[3], model.head.regression_head.module_list[5])

torch.manual_seed(0)
image = torch.rand(2, 3, 64, 64)
for make in (segmentation.deeplabv3_mobilenet_v3_large, segmentation.lraspp_mobilenet_v3_large):
    model = make(weights=None, weights_backbone=None, num_classes=4)
    for trains in (False, True):
        out = model.train(trains)(image)
        print({k: (tuple(v.shape), rounded(v)) for k, v in out.items()})
    torch.nn.functional.cross_entropy(out['out'], torch.arange(64 * 64).view(1, 64, 64).expand(2, -1, -1) % 4).backward()
    print([rounded(p.grad.abs().sum()) for p in list(model.parameters())[-2:]])
