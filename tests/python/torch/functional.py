import torch
import torch.nn.functional as F

x = torch.tensor([[-1.0, 0.5, 2.0], [0.1, -0.2, 0.3]])
t = torch.tensor([2, 0])
print(F.relu(x), F.leaky_relu(x, 0.1), F.elu(x), F.gelu(x), F.silu(x), F.softplus(x), F.hardtanh(x), F.sigmoid(x), F.tanh(x), F.relu6(x))
print(F.softmax(x, dim=1), F.log_softmax(x, dim=-1), F.normalize(x), F.cosine_similarity(x, x))
print(F.cross_entropy(x, t), F.cross_entropy(x, t, reduction='none'), F.cross_entropy(x, t, label_smoothing=0.1), F.nll_loss(F.log_softmax(x, 1), t))
print(F.mse_loss(x, x * 2), F.l1_loss(x, x + 1, reduction='sum'), F.smooth_l1_loss(x, x * 2), F.binary_cross_entropy_with_logits(x, (x > 0).float()), F.kl_div(F.log_softmax(x, 1), F.softmax(x, 1)))
print(F.one_hot(t, num_classes=3), F.pad(x, (1, 1)), F.pad(x, (0, 1), value=9.0))
img = torch.arange(16.).view(1, 1, 4, 4)
print(F.max_pool2d(img, 2), F.avg_pool2d(img, 2), F.adaptive_avg_pool2d(img, 1), F.interpolate(img, scale_factor=0.5), F.interpolate(img, size=(2, 2), mode='bilinear', align_corners=False))
w = torch.ones(1, 1, 3, 3)
print(F.conv2d(img, w), F.conv2d(img, w, padding=1, stride=2), F.unfold(img, 2).shape)
print(F.linear(x, torch.ones(2, 3), torch.tensor([1., 2.])), F.embedding(torch.tensor([1]), x), F.layer_norm(x, (3,)), F.dropout(x, 0.5, training=False))
print(F.batch_norm(x, torch.zeros(3), torch.ones(3)), F.scaled_dot_product_attention(x[None], x[None], x[None]).shape if hasattr(F, 'scaled_dot_product_attention') and False else '')
