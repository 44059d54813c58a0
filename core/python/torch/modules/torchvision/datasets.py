# SPDX-License-Identifier: Apache-2.0
# Datasets: FakeData, and those of the MNIST family whose files are here already. There is no network, and nothing is
# downloaded. An image is a uint8 array [H, W] or [H, W, C], as transforms.ToTensor takes it.
import gzip
import os
import torch

__all__ = ['VisionDataset', 'FakeData', 'MNIST', 'FashionMNIST', 'KMNIST']


class StandardTransform:
    def __init__(self, transform=None, target_transform=None):
        self.transform = transform
        self.target_transform = target_transform

    def __call__(self, input, target):
        if self.transform is not None:
            input = self.transform(input)
        if self.target_transform is not None:
            target = self.target_transform(target)
        return input, target

    def __repr__(self):
        parts = [f'{head}{each!r}'.replace('\n', '\n' + ' ' * len(head))
                 for head, each in (('Transform: ', self.transform), ('Target transform: ', self.target_transform)) if each is not None]
        return '\n'.join(['StandardTransform'] + parts)


class VisionDataset(torch.utils.data.Dataset):
    _repr_indent = 4

    def __init__(self, root=None, transforms=None, transform=None, target_transform=None):
        self.root = os.path.expanduser(root) if isinstance(root, str) else root
        if transforms is not None and (transform is not None or target_transform is not None):
            raise ValueError('Only transforms or transform/target_transform can be passed as argument')
        self.transform = transform
        self.target_transform = target_transform
        if transform is not None or target_transform is not None:
            transforms = StandardTransform(transform, target_transform)
        self.transforms = transforms

    def __getitem__(self, index):
        raise NotImplementedError

    def __len__(self):
        raise NotImplementedError

    def extra_repr(self):
        return ''

    def __repr__(self):
        body = [f'Number of datapoints: {self.__len__()}']
        if self.root is not None:
            body.append(f'Root location: {self.root}')
        body += self.extra_repr().splitlines()
        if self.transforms is not None:
            body.append(repr(self.transforms))
        return '\n'.join(['Dataset ' + self.__class__.__name__] + [' ' * self._repr_indent + line for line in body])


class FakeData(VisionDataset):
    def __init__(self, size=1000, image_size=(3, 224, 224), num_classes=10, transform=None, target_transform=None, random_offset=0):
        super().__init__(transform=transform, target_transform=target_transform)
        self.size = size
        self.num_classes = num_classes
        self.image_size = image_size
        self.random_offset = random_offset

    def __getitem__(self, index):
        if index >= len(self):
            raise IndexError(f'{self.__class__.__name__} index out of range')
        state = torch.get_rng_state()
        torch.manual_seed(index + self.random_offset)
        img = torch.randn(*self.image_size)
        target = torch.randint(0, self.num_classes, size=(1,), dtype=torch.long)[0]
        torch.set_rng_state(state)
        img = img.mul(255).to(torch.int64).remainder(256).to(torch.uint8).permute(1, 2, 0).numpy()
        if self.transform is not None:
            img = self.transform(img)
        if self.target_transform is not None:
            target = self.target_transform(target)
        return img, target.item()

    def __len__(self):
        return self.size


def _read_idx(path):
    """The tensor of an IDX file, gzipped or not: two zeros, a type, the number of sizes, the sizes, the values."""
    with (gzip.open(path + '.gz', 'rb') if not os.path.exists(path) else open(path, 'rb')) as f:
        data = f.read()
    if len(data) < 4 or data[2] != 8 or len(data) < 4 + 4 * data[3]:
        raise ValueError(f'{path} is no IDX file of bytes')
    sizes = [int.from_bytes(data[4 + 4 * i:8 + 4 * i], 'big') for i in range(data[3])]
    count = 1
    for size in sizes:
        count *= size
    if len(data) != 4 + 4 * len(sizes) + count:
        raise ValueError(f'{path} should hold {count} values and holds {len(data) - 4 - 4 * len(sizes)}')
    return torch.frombuffer(bytearray(data[4 + 4 * len(sizes):]), dtype=torch.uint8).reshape(sizes)


class MNIST(VisionDataset):
    classes = ['0 - zero', '1 - one', '2 - two', '3 - three', '4 - four', '5 - five', '6 - six', '7 - seven', '8 - eight', '9 - nine']

    def __init__(self, root, train=True, transform=None, target_transform=None, download=False):
        super().__init__(root, transform=transform, target_transform=target_transform)
        self.train = train
        if not self._check_exists():
            raise RuntimeError(f'Dataset not found: {self.__class__.__name__} is not in {self.raw_folder}, and there is no network to '
                               'download it; put its four idx files there, or use torchvision.datasets.FakeData')
        self.data, self.targets = self._load_data()

    @property
    def raw_folder(self):
        return os.path.join(self.root, self.__class__.__name__, 'raw')

    @property
    def class_to_idx(self):
        return {name: i for i, name in enumerate(self.classes)}

    def _files(self):
        which = 'train' if self.train else 't10k'
        return [os.path.join(self.raw_folder, f'{which}-{kind}-ubyte') for kind in ('images-idx3', 'labels-idx1')]

    def _check_exists(self):
        return all(os.path.exists(path) or os.path.exists(path + '.gz') for path in self._files())

    def _load_data(self):
        images, labels = [_read_idx(path) for path in self._files()]
        return images, labels.to(torch.int64)

    def __getitem__(self, index):
        img, target = self.data[index].numpy(), int(self.targets[index])
        if self.transform is not None:
            img = self.transform(img)
        if self.target_transform is not None:
            target = self.target_transform(target)
        return img, target

    def __len__(self):
        return len(self.data)

    def extra_repr(self):
        return f'Split: {"Train" if self.train is True else "Test"}'


class FashionMNIST(MNIST):
    classes = ['T-shirt/top', 'Trouser', 'Pullover', 'Dress', 'Coat', 'Sandal', 'Shirt', 'Sneaker', 'Bag', 'Ankle boot']


class KMNIST(MNIST):
    classes = ['o', 'ki', 'su', 'tsu', 'na', 'ha', 'ma', 'ya', 're', 'wo']


def __getattr__(name):
    if not name[0].isupper():
        raise AttributeError(f"module 'torchvision.datasets' has no attribute {name!r}")

    class Absent(VisionDataset):
        def __init__(self, *args, **kwargs):
            raise RuntimeError(f'torchvision.datasets.{name} is not read here: there is no network, and no folder of it is known; use '
                               'torchvision.datasets.FakeData, or choose a folder as the data')
    Absent.__name__ = Absent.__qualname__ = name
    globals()[name] = Absent
    return Absent
