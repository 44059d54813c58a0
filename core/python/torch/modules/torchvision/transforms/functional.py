# SPDX-License-Identifier: Apache-2.0
import enum
import math
import torch
from torch.nn import functional as _F


class InterpolationMode(enum.Enum):
    NEAREST = 'nearest'
    NEAREST_EXACT = 'nearest-exact'
    BILINEAR = 'bilinear'
    BICUBIC = 'bicubic'
    BOX = 'box'
    HAMMING = 'hamming'
    LANCZOS = 'lanczos'


def get_dimensions(img):
    channels = 1 if img.ndim == 2 else img.shape[-3]
    return [channels, img.shape[-2], img.shape[-1]]


def get_image_size(img):
    return [img.shape[-1], img.shape[-2]]


def get_image_num_channels(img):
    return get_dimensions(img)[0]


def pil_to_tensor(pic):
    return pic if isinstance(pic, torch.Tensor) else torch.as_tensor(pic).permute(2, 0, 1).contiguous()


def to_tensor(pic):
    if isinstance(pic, torch.Tensor):
        raise TypeError(f'pic should be PIL Image or ndarray. Got {type(pic)}')
    t = torch.as_tensor(pic)
    t = t.unsqueeze(2) if t.ndim == 2 else t
    t = t.permute(2, 0, 1).contiguous()
    return t.to(torch.get_default_dtype()).div(255) if t.dtype == torch.uint8 else t


def to_pil_image(pic, mode=None):
    return pic


def _max_value(dtype):
    return 1 if dtype.is_floating_point else 1 if dtype == torch.bool else torch.iinfo(dtype).max


def convert_image_dtype(image, dtype=torch.float):
    if image.dtype == dtype:
        return image
    if image.is_floating_point():
        return image.to(dtype) if dtype.is_floating_point else image.mul(_max_value(dtype) + 1.0 - 1e-3).to(dtype)
    if dtype.is_floating_point:
        return image.to(dtype) / _max_value(image.dtype)
    before, after = _max_value(image.dtype), _max_value(dtype)
    if before > after:
        return torch.div(image, (before + 1) // (after + 1), rounding_mode='floor').to(dtype)
    return image.to(dtype) * ((after + 1) // (before + 1))


def normalize(tensor, mean, std, inplace=False):
    if not tensor.is_floating_point():
        raise TypeError(f'Input tensor should be a float tensor. Got {tensor.dtype}.')
    if tensor.ndim < 3:
        raise ValueError(f'Expected tensor to be a tensor image of size (..., C, H, W). Got tensor.size() = {tensor.size()}')
    if not inplace:
        tensor = tensor.clone()
    mean, std = torch.as_tensor(mean, dtype=tensor.dtype), torch.as_tensor(std, dtype=tensor.dtype)
    if (std == 0).any():
        raise ValueError(f'std evaluated to zero after conversion to {tensor.dtype}, leading to division by zero.')
    mean = mean.view(-1, 1, 1) if mean.ndim == 1 else mean
    std = std.view(-1, 1, 1) if std.ndim == 1 else std
    return tensor.sub_(mean).div_(std)


def _as_float(function):
    """Runs on floats; other dtypes are rounded back."""
    def apply(img, *args, **kwargs):
        if img.is_floating_point():
            return function(img, *args, **kwargs)
        return function(img.float(), *args, **kwargs).round().clamp(0, _max_value(img.dtype)).to(img.dtype)
    return apply


@_as_float
def _resized(img, size, mode, antialias):
    batched = img if img.ndim == 4 else img.reshape((-1,) + tuple(img.shape[-3:]))
    smooth = mode in ('bilinear', 'bicubic')
    out = _F.interpolate(batched, size=size, mode=mode, align_corners=False if smooth else None, antialias=antialias and smooth)
    return out if img.ndim == 4 else out.reshape(tuple(img.shape[:-2]) + tuple(size))


def resize(img, size, interpolation=InterpolationMode.BILINEAR, max_size=None, antialias=True):
    _, h, w = get_dimensions(img)
    if isinstance(size, int) or len(size) == 1:
        side = size if isinstance(size, int) else size[0]
        short, long = (w, h) if w <= h else (h, w)
        new_short, new_long = side, int(side * long / short)
        if max_size is not None and new_long > max_size:
            new_short, new_long = int(max_size * new_short / new_long), max_size
        size = [new_long, new_short] if w <= h else [new_short, new_long]
    if [h, w] == list(size):
        return img
    mode = interpolation.value if isinstance(interpolation, InterpolationMode) else {0: 'nearest', 2: 'bilinear', 3: 'bicubic'}[interpolation]
    return _resized(img, list(size), mode, antialias)


def pad(img, padding, fill=0, padding_mode='constant'):
    if isinstance(padding, int):
        left = top = right = bottom = padding
    elif len(padding) == 1:
        left = top = right = bottom = padding[0]
    elif len(padding) == 2:
        left = right = padding[0]
        top = bottom = padding[1]
    else:
        left, top, right, bottom = padding
    mode = {'edge': 'replicate'}.get(padding_mode, padding_mode)
    if mode == 'constant':
        return _F.pad(img, [left, right, top, bottom], value=fill)
    batched = img.unsqueeze(0) if img.ndim < 4 else img
    out = _F.pad(batched.float(), [left, right, top, bottom], mode=mode).to(img.dtype)
    return out.squeeze(0) if img.ndim < 4 else out


def crop(img, top, left, height, width):
    _, h, w = get_dimensions(img)
    right, bottom = left + width, top + height
    if left < 0 or top < 0 or right > w or bottom > h:
        inside = img[..., max(top, 0):bottom, max(left, 0):right]
        return pad(inside, [max(-left + min(0, right), 0), max(-top + min(0, bottom), 0), max(right - max(w, left), 0),
                            max(bottom - max(h, top), 0)])
    return img[..., top:bottom, left:right]


def center_crop(img, output_size):
    if isinstance(output_size, int):
        output_size = (output_size, output_size)
    _, height, width = get_dimensions(img)
    th, tw = output_size
    if tw > width or th > height:
        left, top = (tw - width) // 2 if tw > width else 0, (th - height) // 2 if th > height else 0
        right, bottom = (tw - width + 1) // 2 if tw > width else 0, (th - height + 1) // 2 if th > height else 0
        img = pad(img, [left, top, right, bottom])
        _, height, width = get_dimensions(img)
        if tw == width and th == height:
            return img
    return crop(img, int(round((height - th) / 2.0)), int(round((width - tw) / 2.0)), th, tw)


def resized_crop(img, top, left, height, width, size, interpolation=InterpolationMode.BILINEAR, antialias=True):
    return resize(crop(img, top, left, height, width), size, interpolation, antialias=antialias)


def hflip(img):
    return img.flip(-1)


def vflip(img):
    return img.flip(-2)


horizontal_flip, vertical_flip = hflip, vflip


def five_crop(img, size):
    size = (size, size) if isinstance(size, int) else size
    _, h, w = get_dimensions(img)
    ch, cw = size
    return (crop(img, 0, 0, ch, cw), crop(img, 0, w - cw, ch, cw), crop(img, h - ch, 0, ch, cw), crop(img, h - ch, w - cw, ch, cw),
            center_crop(img, [ch, cw]))


def erase(img, i, j, h, w, v, inplace=False):
    img = img if inplace else img.clone()
    img[..., i:i + h, j:j + w] = v
    return img


def rgb_to_grayscale(img, num_output_channels=1):
    if img.shape[-3] == 3:
        r, g, b = img.unbind(dim=-3)
        img = (0.2989 * r + 0.587 * g + 0.114 * b).to(img.dtype).unsqueeze(dim=-3)
    return img.expand(img.shape[:-3] + (3,) + img.shape[-2:]) if num_output_channels == 3 else img.clone()


to_grayscale = rgb_to_grayscale


def _blend(img1, img2, ratio):
    return (ratio * img1 + (1.0 - ratio) * img2).clamp(0, _max_value(img1.dtype)).to(img1.dtype)


def adjust_brightness(img, brightness_factor):
    return _blend(img, torch.zeros_like(img), float(brightness_factor))


def adjust_contrast(img, contrast_factor):
    dtype = img.dtype if img.is_floating_point() else torch.float32
    gray = rgb_to_grayscale(img) if img.shape[-3] == 3 else img
    return _blend(img, torch.mean(gray.to(dtype), dim=(-3, -2, -1), keepdim=True), float(contrast_factor))


def adjust_saturation(img, saturation_factor):
    return img if get_dimensions(img)[0] == 1 else _blend(img, rgb_to_grayscale(img), float(saturation_factor))


def adjust_hue(img, hue_factor):
    if not -0.5 <= hue_factor <= 0.5:
        raise ValueError(f'hue_factor ({hue_factor}) is not in [-0.5, 0.5].')
    if get_dimensions(img)[0] == 1:
        return img
    before = img.dtype
    hsv = _rgb_to_hsv(convert_image_dtype(img, torch.float32))
    h, s, v = hsv.unbind(dim=-3)
    rgb = _hsv_to_rgb(torch.stack(((h + hue_factor) % 1.0, s, v), dim=-3))
    return convert_image_dtype(rgb, before)


def _rgb_to_hsv(img):
    r, g, b = img.unbind(dim=-3)
    maxc, minc = torch.max(img, dim=-3).values, torch.min(img, dim=-3).values
    equal = maxc == minc
    cr = maxc - minc
    ones = torch.ones_like(maxc)
    s = cr / torch.where(equal, ones, maxc)
    divisor = torch.where(equal, ones, cr)
    rc, gc, bc = (maxc - r) / divisor, (maxc - g) / divisor, (maxc - b) / divisor
    hr = (maxc == r) * (bc - gc)
    hg = ((maxc == g) & (maxc != r)) * (2.0 + rc - bc)
    hb = ((maxc != g) & (maxc != r)) * (4.0 + gc - rc)
    return torch.stack((torch.fmod((hr + hg + hb) / 6.0 + 1.0, 1.0), s, maxc), dim=-3)


def _hsv_to_rgb(img):
    h, s, v = img.unbind(dim=-3)
    i = torch.floor(h * 6.0)
    f = h * 6.0 - i
    i = i.to(torch.int32)
    p = torch.clamp(v * (1.0 - s), 0.0, 1.0)
    q = torch.clamp(v * (1.0 - s * f), 0.0, 1.0)
    t = torch.clamp(v * (1.0 - s * (1.0 - f)), 0.0, 1.0)
    mask = (i % 6).unsqueeze(dim=-3) == torch.arange(6).view(-1, 1, 1)
    choices = torch.stack((torch.stack((v, q, p, p, t, v), dim=-3), torch.stack((t, v, v, q, p, p), dim=-3),
                           torch.stack((p, p, t, v, v, q), dim=-3)), dim=-4)
    return torch.einsum('...ijk,...xijk->...xjk', mask.to(img.dtype), choices)


def adjust_gamma(img, gamma, gain=1):
    if gamma < 0:
        raise ValueError('Gamma should be a non-negative real number')
    out = (gain * convert_image_dtype(img, torch.float32) ** gamma).clamp(0, 1)
    return convert_image_dtype(out, img.dtype)


def invert(img):
    return _max_value(img.dtype) - img


def solarize(img, threshold):
    return torch.where(img >= threshold, invert(img), img)


def posterize(img, bits):
    return img & (-int(2 ** (8 - bits)))


def _kernel_1d(size, sigma, dtype):
    half = (size - 1) * 0.5
    x = torch.linspace(-half, half, steps=size, dtype=dtype)
    pdf = torch.exp(-0.5 * (x / sigma).pow(2))
    return pdf / pdf.sum()


@_as_float
def _blurred(img, kernel_size, sigma):
    kx, ky = (_kernel_1d(size, s, img.dtype) for size, s in zip(kernel_size, sigma))
    channels = img.shape[-3]
    kernel = torch.mm(ky[:, None], kx[None, :]).expand(channels, 1, kernel_size[1], kernel_size[0])
    batched = img.reshape((-1,) + tuple(img.shape[-3:]))
    padding = [kernel_size[0] // 2, kernel_size[0] // 2, kernel_size[1] // 2, kernel_size[1] // 2]
    return _F.conv2d(_F.pad(batched, padding, mode='reflect'), kernel, groups=channels).reshape(img.shape)


def gaussian_blur(img, kernel_size, sigma=None):
    kernel_size = [kernel_size, kernel_size] if isinstance(kernel_size, int) else list(kernel_size)
    if sigma is None:
        sigma = [each * 0.15 + 0.35 for each in kernel_size]
    sigma = [float(sigma)] * 2 if isinstance(sigma, (int, float)) else [float(each) for each in sigma] * (2 if len(sigma) == 1 else 1)
    return _blurred(img, kernel_size, sigma)


def _affine(img, theta, mode, fill):
    _, h, w = get_dimensions(img)
    batched = img.reshape((-1,) + tuple(img.shape[-3:]))
    x = torch.linspace(-w * 0.5 + 0.5, w * 0.5 + 0.5 - 1, steps=w)
    y = torch.linspace(-h * 0.5 + 0.5, h * 0.5 + 0.5 - 1, steps=h)
    base = torch.stack([x.expand(h, w), y.unsqueeze(-1).expand(h, w), torch.ones(h, w)], -1).view(1, h * w, 3)
    grid = base.bmm(theta.view(1, 2, 3).transpose(1, 2) / torch.tensor([0.5 * w, 0.5 * h])).view(1, h, w, 2)
    out = _F.grid_sample(batched.float(), grid.expand(len(batched), h, w, 2), mode=mode, padding_mode='zeros', align_corners=False)
    if fill:
        ones = _F.grid_sample(torch.ones_like(batched[:, :1]).float(), grid.expand(len(batched), h, w, 2), mode=mode, align_corners=False)
        out = out * ones + (1 - ones) * float(fill if isinstance(fill, (int, float)) else fill[0])
    return out.to(img.dtype).reshape(img.shape)


def _inverse_matrix(center, angle, translate, scale, shear):
    rot, sx, sy = math.radians(angle), math.radians(shear[0]), math.radians(shear[1])
    cx, cy = center
    tx, ty = translate
    a = math.cos(rot - sy) / math.cos(sy)
    b = -math.cos(rot - sy) * math.tan(sx) / math.cos(sy) - math.sin(rot)
    c = math.sin(rot - sy) / math.cos(sy)
    d = -math.sin(rot - sy) * math.tan(sx) / math.cos(sy) + math.cos(rot)
    matrix = [d, -b, 0.0, -c, a, 0.0]
    matrix = [x / scale for x in matrix]
    matrix[2] += matrix[0] * (-cx - tx) + matrix[1] * (-cy - ty) + cx
    matrix[5] += matrix[3] * (-cx - tx) + matrix[4] * (-cy - ty) + cy
    return torch.tensor(matrix)


def affine(img, angle, translate, scale, shear, interpolation=InterpolationMode.NEAREST, fill=None, center=None):
    shear = [shear, 0.0] if isinstance(shear, (int, float)) else list(shear) + [0.0] * (2 - len(shear))
    _, h, w = get_dimensions(img)
    middle = [0.0, 0.0] if center is None else [c - s * 0.5 for c, s in zip(center, (w, h))]
    return _affine(img, _inverse_matrix(middle, angle, [float(t) for t in translate], scale, shear), interpolation.value, fill)


def rotate(img, angle, interpolation=InterpolationMode.NEAREST, expand=False, center=None, fill=None):
    if expand:
        raise NotImplementedError('rotate with expand=True is not available here')
    _, h, w = get_dimensions(img)
    middle = [0.0, 0.0] if center is None else [c - s * 0.5 for c, s in zip(center, (w, h))]
    return _affine(img, _inverse_matrix(middle, -angle, [0.0, 0.0], 1.0, [0.0, 0.0]), interpolation.value, fill)
