// SPDX-License-Identifier: Apache-2.0
#pragma once
// NumPy's .npy files, and .npz archives of them.

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/file.h"
#include "core/tensor/tensor.h"

namespace loupe {

// Name and tensor, in the order of the file.
using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

// The array in the bytes of a .npy file, versions 1 to 3, any byte order; Fortran order gives column-major strides.
// The tensor views the bytes, which `owner` keeps alive, where they are aligned and in this machine's order; otherwise
// it is a copy. Throws Error (File) when damaged, Error (Unsupported) for structured, object, text and other elements
// that no tensor holds.
Tensor parse_npy(std::span<std::byte> bytes, Ptr<RefCounted> owner);

// Throws Error as MappedFile::open and parse_npy, with the file named.
Tensor read_npy(const std::filesystem::path& path);
// All arrays of an archive, stored or deflated; names without ".npy".
NamedTensors read_npz(const std::filesystem::path& path);
NamedTensors read_npz(const Ptr<MappedFile>& file);

class ZipWriter;

// Any strides; bfloat16 is written as float32. Throws Error (File) as AtomicFile; nothing partial is left.
void write_npy(const std::filesystem::path& path, const Tensor& tensor);
void write_npz(const std::filesystem::path& path, const NamedTensors& tensors);
// As an entry of an archive.
void add_npy(ZipWriter& archive, std::string_view entry, const Tensor& tensor);

}  // namespace loupe
