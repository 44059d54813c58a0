# SPDX-License-Identifier: Apache-2.0
# Transforms of tensors [..., C, H, W]; an image that is no tensor becomes one with ToTensor.
import math
import numbers
import random
import torch
from torch import nn
from torchvision.transforms import functional as F
from torchvision.transforms.functional import InterpolationMode


class Compose:
    def __init__(self, transforms):
        self.transforms = transforms

    def __call__(self, img):
        for t in self.transforms:
            img = t(img)
        return img

    def __repr__(self):
        return self.__class__.__name__ + '(' + ''.join(f'\n    {t}' for t in self.transforms) + '\n)'


class _Transform(nn.Module):
    _shown = ()

    def __repr__(self):
        shown = []
        for name in self._shown:
            value = getattr(self, name)
            if isinstance(value, InterpolationMode):
                value = value.value
            elif name == 'ratio' and len(self._shown) == 5 and 'size' in self._shown:
                value = tuple(round(each, 4) for each in value)
            shown.append(f'{name}={value}')
        return f'{self.__class__.__name__}({", ".join(shown)})'


class ToTensor:
    def __call__(self, pic):
        return F.to_tensor(pic)

    def __repr__(self):
        return 'ToTensor()'


class PILToTensor(ToTensor):
    def __call__(self, pic):
        return F.pil_to_tensor(pic)

    def __repr__(self):
        return 'PILToTensor()'


class ToPILImage:
    def __init__(self, mode=None):
        self.mode = mode

    def __call__(self, pic):
        return pic

    def __repr__(self):
        return 'ToPILImage()'


class ConvertImageDtype(_Transform):
    _shown = ()

    def __init__(self, dtype):
        super().__init__()
        self.dtype = dtype

    def forward(self, image):
        return F.convert_image_dtype(image, self.dtype)


class Normalize(_Transform):
    _shown = ('mean', 'std')

    def __init__(self, mean, std, inplace=False):
        super().__init__()
        self.mean = mean
        self.std = std
        self.inplace = inplace

    def forward(self, tensor):
        return F.normalize(tensor, self.mean, self.std, self.inplace)


class Resize(_Transform):
    _shown = ('size', 'interpolation', 'max_size', 'antialias')

    def __init__(self, size, interpolation=InterpolationMode.BILINEAR, max_size=None, antialias=True):
        super().__init__()
        self.size = size
        self.interpolation = interpolation
        self.max_size = max_size
        self.antialias = antialias

    def forward(self, img):
        return F.resize(img, self.size, self.interpolation, self.max_size, self.antialias)


Scale = Resize


class CenterCrop(_Transform):
    _shown = ('size',)

    def __init__(self, size):
        super().__init__()
        self.size = (int(size), int(size)) if isinstance(size, numbers.Number) else tuple(size) * (2 if len(size) == 1 else 1)

    def forward(self, img):
        return F.center_crop(img, self.size)


class Pad(_Transform):
    _shown = ('padding', 'fill', 'padding_mode')

    def __init__(self, padding, fill=0, padding_mode='constant'):
        super().__init__()
        self.padding = padding
        self.fill = fill
        self.padding_mode = padding_mode

    def forward(self, img):
        return F.pad(img, self.padding, self.fill, self.padding_mode)


class Lambda:
    def __init__(self, lambd):
        self.lambd = lambd

    def __call__(self, img):
        return self.lambd(img)

    def __repr__(self):
        return 'Lambda()'


class RandomApply(nn.Module):
    def __init__(self, transforms, p=0.5):
        super().__init__()
        self.transforms = transforms
        self.p = p

    def forward(self, img):
        if self.p < torch.rand(1):
            return img
        for t in self.transforms:
            img = t(img)
        return img


class RandomChoice(Compose):
    def __init__(self, transforms, p=None):
        super().__init__(transforms)
        self.p = p

    def __call__(self, *args):
        return random.choices(self.transforms, weights=self.p)[0](*args)


class RandomOrder(Compose):
    def __call__(self, img):
        order = list(range(len(self.transforms)))
        random.shuffle(order)
        for i in order:
            img = self.transforms[i](img)
        return img


class RandomHorizontalFlip(_Transform):
    _shown = ('p',)

    def __init__(self, p=0.5):
        super().__init__()
        self.p = p

    def forward(self, img):
        return F.hflip(img) if torch.rand(1) < self.p else img


class RandomVerticalFlip(RandomHorizontalFlip):
    def forward(self, img):
        return F.vflip(img) if torch.rand(1) < self.p else img


class RandomCrop(_Transform):
    _shown = ('size', 'padding')

    def __init__(self, size, padding=None, pad_if_needed=False, fill=0, padding_mode='constant'):
        super().__init__()
        self.size = (int(size), int(size)) if isinstance(size, numbers.Number) else tuple(size)
        self.padding = padding
        self.pad_if_needed = pad_if_needed
        self.fill = fill
        self.padding_mode = padding_mode

    @staticmethod
    def get_params(img, output_size):
        _, h, w = F.get_dimensions(img)
        th, tw = output_size
        if h < th or w < tw:
            raise ValueError(f'Required crop size {(th, tw)} is larger than input image size {(h, w)}')
        if w == tw and h == th:
            return 0, 0, h, w
        i = torch.randint(0, h - th + 1, size=(1,)).item()
        j = torch.randint(0, w - tw + 1, size=(1,)).item()
        return i, j, th, tw

    def forward(self, img):
        if self.padding is not None:
            img = F.pad(img, self.padding, self.fill, self.padding_mode)
        _, height, width = F.get_dimensions(img)
        if self.pad_if_needed and width < self.size[1]:
            img = F.pad(img, [self.size[1] - width, 0], self.fill, self.padding_mode)
        if self.pad_if_needed and height < self.size[0]:
            img = F.pad(img, [0, self.size[0] - height], self.fill, self.padding_mode)
        return F.crop(img, *self.get_params(img, self.size))


class RandomResizedCrop(_Transform):
    _shown = ('size', 'scale', 'ratio', 'interpolation', 'antialias')

    def __init__(self, size, scale=(0.08, 1.0), ratio=(3.0 / 4.0, 4.0 / 3.0), interpolation=InterpolationMode.BILINEAR, antialias=True):
        super().__init__()
        self.size = (int(size), int(size)) if isinstance(size, numbers.Number) else tuple(size)
        self.scale = scale
        self.ratio = ratio
        self.interpolation = interpolation
        self.antialias = antialias

    @staticmethod
    def get_params(img, scale, ratio):
        _, height, width = F.get_dimensions(img)
        log_ratio = torch.log(torch.tensor(ratio))
        for _ in range(10):
            target_area = height * width * torch.empty(1).uniform_(scale[0], scale[1]).item()
            aspect_ratio = torch.exp(torch.empty(1).uniform_(log_ratio[0], log_ratio[1])).item()
            w = int(round(math.sqrt(target_area * aspect_ratio)))
            h = int(round(math.sqrt(target_area / aspect_ratio)))
            if 0 < w <= width and 0 < h <= height:
                i = torch.randint(0, height - h + 1, size=(1,)).item()
                j = torch.randint(0, width - w + 1, size=(1,)).item()
                return i, j, h, w
        in_ratio = float(width) / float(height)
        w, h = width, height
        if in_ratio < min(ratio):
            h = int(round(w / min(ratio)))
        elif in_ratio > max(ratio):
            w = int(round(h * max(ratio)))
        return (height - h) // 2, (width - w) // 2, h, w

    def forward(self, img):
        return F.resized_crop(img, *self.get_params(img, self.scale, self.ratio), self.size, self.interpolation, self.antialias)


class Grayscale(_Transform):
    _shown = ('num_output_channels',)

    def __init__(self, num_output_channels=1):
        super().__init__()
        self.num_output_channels = num_output_channels

    def forward(self, img):
        return F.rgb_to_grayscale(img, self.num_output_channels)


class RandomGrayscale(_Transform):
    _shown = ('p',)

    def __init__(self, p=0.1):
        super().__init__()
        self.p = p

    def forward(self, img):
        return F.rgb_to_grayscale(img, F.get_dimensions(img)[0]) if torch.rand(1) < self.p else img


class ColorJitter(_Transform):
    _shown = ('brightness', 'contrast', 'saturation', 'hue')

    def __init__(self, brightness=0, contrast=0, saturation=0, hue=0):
        super().__init__()
        self.brightness = self._range(brightness, 1)
        self.contrast = self._range(contrast, 1)
        self.saturation = self._range(saturation, 1)
        self.hue = self._range(hue, 0, clip=False)

    @staticmethod
    def _range(value, center, clip=True):
        if isinstance(value, numbers.Number):
            if value < 0:
                raise ValueError('a single number must be non negative.')
            value = [center - float(value), center + float(value)]
            if clip:
                value[0] = max(value[0], 0.0)
        return None if value[0] == value[1] == center else tuple(value)

    def forward(self, img):
        order = torch.randperm(4)
        factors = [None if each is None else float(torch.empty(1).uniform_(each[0], each[1]))
                   for each in (self.brightness, self.contrast, self.saturation, self.hue)]
        adjust = (F.adjust_brightness, F.adjust_contrast, F.adjust_saturation, F.adjust_hue)
        for i in order.tolist():
            if factors[i] is not None:
                img = adjust[i](img, factors[i])
        return img


class GaussianBlur(_Transform):
    _shown = ('kernel_size', 'sigma')

    def __init__(self, kernel_size, sigma=(0.1, 2.0)):
        super().__init__()
        self.kernel_size = (kernel_size, kernel_size) if isinstance(kernel_size, int) else tuple(kernel_size)
        self.sigma = (float(sigma), float(sigma)) if isinstance(sigma, numbers.Number) else sigma

    def forward(self, img):
        sigma = torch.empty(1).uniform_(self.sigma[0], self.sigma[1]).item()
        return F.gaussian_blur(img, self.kernel_size, [sigma, sigma])


class RandomErasing(_Transform):
    _shown = ('p', 'scale', 'ratio', 'value', 'inplace')

    def __init__(self, p=0.5, scale=(0.02, 0.33), ratio=(0.3, 3.3), value=0, inplace=False):
        super().__init__()
        self.p = p
        self.scale = scale
        self.ratio = ratio
        self.value = value
        self.inplace = inplace

    def forward(self, img):
        if not torch.rand(1) < self.p:
            return img
        channels, height, width = img.shape[-3:]
        log_ratio = torch.log(torch.tensor(self.ratio))
        for _ in range(10):
            area = height * width * torch.empty(1).uniform_(self.scale[0], self.scale[1]).item()
            aspect = torch.exp(torch.empty(1).uniform_(log_ratio[0], log_ratio[1])).item()
            h, w = int(round(math.sqrt(area * aspect))), int(round(math.sqrt(area / aspect)))
            if h < height and w < width:
                v = torch.empty([channels, h, w]).normal_() if self.value == 'random' else torch.tensor(self.value)
                i = torch.randint(0, height - h + 1, size=(1,)).item()
                j = torch.randint(0, width - w + 1, size=(1,)).item()
                return F.erase(img, i, j, h, w, v, self.inplace)
        return img


class FiveCrop(_Transform):
    _shown = ('size',)

    def __init__(self, size):
        super().__init__()
        self.size = (size, size) if isinstance(size, int) else tuple(size)

    def forward(self, img):
        return F.five_crop(img, self.size)


class RandomInvert(_Transform):
    _shown = ('p',)

    def __init__(self, p=0.5):
        super().__init__()
        self.p = p

    def forward(self, img):
        return F.invert(img) if torch.rand(1).item() < self.p else img


class RandomSolarize(_Transform):
    _shown = ('threshold', 'p')

    def __init__(self, threshold, p=0.5):
        super().__init__()
        self.threshold = threshold
        self.p = p

    def forward(self, img):
        return F.solarize(img, self.threshold) if torch.rand(1).item() < self.p else img
