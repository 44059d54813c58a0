import torch
import torchvision
from torchvision import models, ops, transforms as T
from torchvision.models import resnet18

torch.set_grad_enabled(False)
for name in ('resnet18', 'squeezenet1_1', 'mobilenet_v3_small', 'shufflenet_v2_x0_5', 'efficientnet_b0'):
    torch.manual_seed(0)
    model = getattr(models, name)(num_classes=7).eval()
    out = model(torch.rand(1, 3, 64, 64))
    print(name, sum(p.numel() for p in model.parameters()), list(model.state_dict())[-1], [round(v, 3) for v in out[0].tolist()])
print(resnet18().fc, resnet18().layer2[0].downsample[0])
torch.manual_seed(3)
x = torch.rand(3, 12, 10)
print(T.Compose([T.Resize(8), T.CenterCrop(6), T.Normalize([0.5] * 3, [0.25] * 3)]))
print(T.Compose([T.Resize(8), T.CenterCrop(6), T.Normalize([0.5] * 3, [0.25] * 3)])(x)[0, 0], T.RandomCrop(4)(x)[0, 0], T.RandomHorizontalFlip(1.0)(x)[0, 0, :3])
boxes = torch.tensor([[0.0, 0.0, 2.0, 2.0], [1.0, 1.0, 3.0, 3.0], [0.0, 0.0, 2.0, 2.1]])
print(ops.box_iou(boxes, boxes), ops.generalized_box_iou(boxes[:1], boxes[1:2]), ops.box_convert(boxes, 'xyxy', 'cxcywh'))
print(ops.StochasticDepth(0.5, 'row'), ops.MLP(3, [4, 2]))
print(ops.deform_conv2d(torch.ones(1, 1, 4, 4), torch.full((1, 18, 2, 2), 0.5), torch.ones(1, 1, 3, 3)))
