// SPDX-License-Identifier: Apache-2.0
#pragma once
// A file that another process has opened for this one, which may not open it itself.

#include <filesystem>

#include "core/base/file_handle.h"

namespace loupe {

// While it lives, an AtomicFile of this path on this thread writes into the open file, and commit() is the other
// process's.
class GivenFile {
  public:
    GivenFile(std::filesystem::path path, FileHandle file);
    GivenFile(const GivenFile&) = delete;
    GivenFile& operator=(const GivenFile&) = delete;
    ~GivenFile();

    // Null: none was given.
    static GivenFile* of(const std::filesystem::path& path);

    const FileHandle& file() const { return file_; }
    // It has its contents, whole.
    void note_written() { is_written_ = true; }
    bool is_written() const { return is_written_; }

  private:
    std::filesystem::path path_;
    FileHandle file_;
    GivenFile* before_;
    bool is_written_ = false;
};

}  // namespace loupe
