// SPDX-License-Identifier: Apache-2.0
#pragma once
// The bytes of a data file, mapped, or unpacked when it is a gzip file.

#include <filesystem>
#include <span>
#include <vector>

#include "core/base/file.h"

namespace loupe::data {

class FileBytes : public RefCounted {
  public:
    // Throws Error: Usage when it is missing, File when the gzip stream is damaged or unpacks to more than 8 GiB.
    explicit FileBytes(const std::filesystem::path& path);

    std::span<const std::byte> bytes() const { return bytes_; }
    const std::filesystem::path& path() const { return path_; }
    // The gzip stream is truncated: bytes() has the part before.
    bool is_truncated() const { return is_truncated_; }

  private:
    void unpack(std::span<const std::byte> packed);

    std::filesystem::path path_;
    Ptr<MappedFile> mapped_;
    std::vector<std::byte> unpacked_;
    std::span<const std::byte> bytes_;
    bool is_truncated_ = false;
};

}  // namespace loupe::data
