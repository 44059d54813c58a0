import os
import struct
import tempfile
import torch
from torchvision import datasets, transforms

torch.manual_seed(3)
data = datasets.FakeData(size=5, image_size=(3, 4, 6), num_classes=7, transform=transforms.ToTensor())
image, label = data[2]
print(image.shape, image.dtype, label, [round(v, 4) for v in image.flatten()[:8].tolist()], [data[i][1] for i in range(5)])
print(len(data), round(torch.rand(1).item(), 4))
print(data)
try:
    data[5]
except IndexError as error:
    print('IndexError', error)
loader = torch.utils.data.DataLoader(data, batch_size=2)
print([tuple(x.shape) + tuple(y.tolist()) for x, y in loader])
with tempfile.TemporaryDirectory() as root:
    raw = os.path.join(root, 'MNIST', 'raw')
    os.makedirs(raw)
    for which, count in (('train', 3), ('t10k', 2)):
        with open(os.path.join(raw, which + '-images-idx3-ubyte'), 'wb') as f:
            f.write(struct.pack('>IIII', 2051, count, 2, 2) + bytes(range(4 * count)))
        with open(os.path.join(raw, which + '-labels-idx1-ubyte'), 'wb') as f:
            f.write(struct.pack('>II', 2049, count) + bytes([5, 0, 4][:count]))
    digits = datasets.MNIST(root, train=True, transform=transforms.ToTensor())
    print(len(digits), digits[1][0].tolist(), digits[1][1], digits.targets, digits.data.shape, digits.class_to_idx['2 - two'])
    print(len(datasets.MNIST(root, train=False)), repr(datasets.MNIST(root, train=False)).split('\n')[0])
