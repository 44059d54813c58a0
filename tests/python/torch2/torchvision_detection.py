import warnings
import torch
from torchvision import models
from torchvision.models import detection, segmentation
from torchvision.models.detection.anchor_utils import AnchorGenerator
from torchvision.models.maxvit import MaxVit
from torchvision.ops import batched_nms

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
model = detection.fasterrcnn_resnet50_fpn(num_classes=3, box_score_thresh=0.0, **small, **found)
show('fasterrcnn', model, images, targets)
print(model.transform)
print(model.roi_heads.box_roi_pool)
try:
    model(images)
except AssertionError as error:
    print(error)
show('maskrcnn', detection.maskrcnn_resnet50_fpn(num_classes=3, box_score_thresh=0.0, **small, **found), images, targets)
show('keypointrcnn', detection.keypointrcnn_resnet50_fpn(num_classes=3, box_score_thresh=0.0, **small, **found), images, targets)
show('retinanet', detection.retinanet_resnet50_fpn(num_classes=3, score_thresh=0.0, detections_per_img=4, **small), images, targets)
show('ssd', detection.ssd300_vgg16(num_classes=3, weights_backbone=None, score_thresh=0.0, detections_per_img=4, topk_candidates=20),
     images, targets)
print(AnchorGenerator(((16, 32),), ((0.5, 2.0),)).cell_anchors)
boxes = torch.rand(1100, 4) * 50
boxes[:, 2:] += boxes[:, :2]
print(batched_nms(boxes, torch.rand(1100), torch.arange(1100) % 3, 0.3)[:6], batched_nms(boxes[:40], torch.rand(40), torch.arange(40) % 3, 0.3)[:6])

torch.manual_seed(0)
with torch.no_grad():
    image = torch.rand(1, 3, 64, 64)
    model = MaxVit((64, 64), 8, 2, [8, 16], [1, 2], 8, 0.2, num_classes=5).eval()
    print('maxvit', sum(p.numel() for p in model.parameters()), len(model.state_dict()), rounded(model(image)))
    for make in (segmentation.fcn_resnet50, segmentation.deeplabv3_resnet50, segmentation.deeplabv3_mobilenet_v3_large,
                 segmentation.lraspp_mobilenet_v3_large):
        model = make(weights=None, weights_backbone=None, num_classes=4).eval()
        out = model(image)
        print(sum(p.numel() for p in model.parameters()), len(model.state_dict()), {k: (tuple(v.shape), rounded(v)) for k, v in out.items()})
model = segmentation.fcn_resnet50(weights=None, weights_backbone=None, num_classes=4, aux_loss=True).eval()
print(list(model(image)), models.get_model('resnet18', num_classes=2).fc)
