// SPDX-License-Identifier: Apache-2.0
#pragma once
// A ZIP archive in PyTorch's layout: all entries are in one folder, which the first entry names.

#include <optional>
#include <string>
#include <string_view>

#include "core/formats/archive/zip_reader.h"
#include "core/formats/pickle/pickle_reader.h"
#include "core/formats/pickle/tensor_rebuild.h"

namespace loupe {

class TorchArchive {
  public:
    // Throws Error (File) as ZipReader, Error (Unsupported) when the numbers in it are big-endian.
    explicit TorchArchive(Ptr<MappedFile> file);

    const ZipReader& zip() const { return zip_; }
    const std::string& root() const { return root_; }
    // "data.pkl", "code/__torch__.py"; null when there is none.
    const ZipEntry* find(std::string_view name) const { return zip_.find(path_of(name)); }
    // Throws Error (File) when there is none, or more than any honest file has.
    std::string read(std::string_view name) const;
    Pickle read_pickle(std::string_view name) const { return ::loupe::read_pickle(read(name)); }
    // The storages beside a pickle: "data", "constants".
    ArchiveStorages storages(std::string_view folder) const { return ArchiveStorages(zip_, path_of(folder)); }
    // The format version, from "version" or ".data/version"; nullopt when neither is there.
    std::optional<std::int64_t> version() const;

  private:
    std::string path_of(std::string_view name) const { return root_ + "/" + std::string(name); }

    ZipReader zip_;
    std::string root_;
};

}  // namespace loupe
