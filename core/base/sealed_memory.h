// SPDX-License-Identifier: Apache-2.0
#pragma once
// Bytes for another process of this machine, in memory that can be neither changed nor shrunk any more (a sealed
// memfd): the other process maps what this one wrote.

#include <cstddef>
#include <string_view>

#include "core/base/file_handle.h"

namespace loupe {

// Memory with a copy of the bytes. Closed: the system gives none.
FileHandle sealed_copy(std::string_view bytes);

// Such memory of a process that is not trusted, for reading.
class SealedMemory {
  public:
    // Throws Error (File) for what is no memory, of another size, or not sealed; nothing is read then.
    SealedMemory(const FileHandle& file, std::size_t size);
    SealedMemory(const SealedMemory&) = delete;
    SealedMemory& operator=(const SealedMemory&) = delete;
    ~SealedMemory();

    std::string_view bytes() const { return {static_cast<const char*>(data_), size_}; }

  private:
    void* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace loupe
