import warnings
import torch
from torchvision import models
from torchvision.models.mnasnet import MNASNet
from torchvision.models.regnet import BlockParams
from torchvision.models.swin_transformer import PatchMergingV2, SwinTransformer, SwinTransformerBlockV2

warnings.simplefilter('ignore')
torch.set_grad_enabled(False)


def show(name, model, *shape):
    out = model.eval()(torch.rand(*shape))
    print(name, sum(p.numel() for p in model.parameters()), len(model.state_dict()), list(model.state_dict())[-1],
          [round(v, 3) for v in out[0].tolist()])


torch.manual_seed(0)
show('googlenet', models.googlenet(num_classes=5, init_weights=False, aux_logits=False), 1, 3, 64, 64)
show('mnasnet', MNASNet(0.35, num_classes=5), 1, 3, 64, 64)
show('regnet', models.regnet_y_400mf(num_classes=5), 1, 3, 32, 32)
for make in (dict(depth=22, w_0=24, w_a=24.48, w_m=2.54, group_width=16), dict(depth=27, w_0=456, w_a=160.83, w_m=2.52, group_width=264)):
    params = BlockParams.from_init_params(**make)
    print(params.depths, params.widths, params.group_widths, params.strides)
show('swin', SwinTransformer([4, 4], 8, [2, 2], [2, 4], [3, 3], num_classes=5), 1, 3, 40, 40)
show('swin v2', SwinTransformer([4, 4], 8, [2, 2], [2, 4], [4, 4], num_classes=5, block=SwinTransformerBlockV2,
                                downsample_layer=PatchMergingV2), 1, 3, 40, 40)
