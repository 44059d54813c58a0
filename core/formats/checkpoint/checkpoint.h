// SPDX-License-Identifier: Apache-2.0
#pragma once
// Files of torch.save: one value, mostly weights by name.

#include <filesystem>

#include "core/base/file.h"
#include "core/formats/numpy/npy.h"
#include "core/value/ivalue.h"

namespace loupe {

class PickledClasses;

// Does the file start as torch.save wrote before PyTorch 1.6, a stream of pickles?
bool is_legacy_checkpoint(std::span<const std::byte> bytes);

// The saved value, out of an archive, a legacy stream, or the tar archive of PyTorch before 0.2. Tensors of archives
// view the file, whose pages are read when they are touched. No code of the file is run. Throws Error (Usage) when the
// file is missing, Error (File) when it is damaged or no file of torch.save, Error (Unsupported) when it refers to
// classes, as a whole pickled module does.
IValue read_checkpoint(const std::filesystem::path& path);
// The same with values made by `classes`.
IValue read_checkpoint(const std::filesystem::path& path, PickledClasses& classes);
IValue read_checkpoint(const Ptr<MappedFile>& file, PickledClasses& classes);

// A value from pickle.dumps, with tensors in it, and the number of bytes that it uses. Throws Error (File) when
// damaged.
std::pair<IValue, std::size_t> read_pickled_value(std::span<const std::byte> bytes, PickledClasses& classes);

}  // namespace loupe
