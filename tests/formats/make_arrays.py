# SPDX-License-Identifier: Apache-2.0
"""Writes arrays/: small .npy and .npz files by numpy and pictures by Pillow, for test_npy and test_image."""

import pathlib

import numpy as np
from PIL import Image

OUT = pathlib.Path(__file__).parent / "arrays"
DTYPES = ["?", "u1", "i1", "<i2", "<i4", "<i8", "<f2", "<f4", "<f8", "<c8", "<c16",
          ">i2", ">i4", ">i8", ">f2", ">f4", ">f8", ">c8", ">c16"]


def values(dtype):
    """-3..2 (0..5 if unsigned, times 1+2j if complex) as 2 x 3; evenness of it for bool."""
    numbers = np.arange(6).reshape(2, 3) - (0 if dtype == "u1" else 3)
    if dtype == "?":
        return numbers % 2 == 0
    return (numbers * (1 + 2j) if "c" in dtype else numbers).astype(dtype)


def main():
    OUT.mkdir(exist_ok=True)
    arrays = {d.replace("<", "little_").replace(">", "big_").replace("?", "bool"): values(d) for d in DTYPES}
    arrays["fortran"] = np.asfortranarray(values("<f4"))
    arrays["scalar"] = np.float64(1.5)
    arrays["vector"] = np.arange(3)
    arrays["empty"] = np.zeros((2, 0, 3), np.float32)
    np.savez(OUT / "stored.npz", **arrays)
    np.savez_compressed(OUT / "deflated.npz", **arrays)
    for version in (1, 2, 3):
        with open(OUT / f"version{version}.npy", "wb") as f:
            np.lib.format.write_array(f, values("<f4"), version=(version, 0))
    np.save(OUT / "structure.npy", np.zeros(2, [("a", "<f4"), ("b", "<i4")]))
    np.save(OUT / "text.npy", np.array(["one", "two"]))
    np.save(OUT / "objects.npy", np.array([1, "two", None], object), allow_pickle=True)

    rgb = np.array([[[255, 0, 0], [0, 255, 0]], [[0, 0, 255], [10, 20, 30]], [[255, 255, 255], [0, 0, 0]]], np.uint8)
    Image.fromarray(rgb).save(OUT / "rgb.png")
    Image.fromarray(rgb).convert("P").save(OUT / "palette.png")
    Image.fromarray(rgb[..., 0]).save(OUT / "grey.png")
    Image.fromarray(np.dstack([rgb, rgb[..., :1]])).save(OUT / "rgba.png")
    Image.fromarray(rgb[..., 0].astype(np.uint16) * 257).save(OUT / "grey16.png")
    gradient = np.add.outer(np.arange(16), np.arange(24)).astype(np.uint8) * 6
    for name, picture in {"grey": gradient, "rgb": np.dstack([gradient, 255 - gradient, gradient // 2])}.items():
        Image.fromarray(picture).save(OUT / f"{name}.jpg", quality=95)
        np.save(OUT / f"{name}.jpg.npy", np.asarray(Image.open(OUT / f"{name}.jpg")))


if __name__ == "__main__":
    main()
