// SPDX-License-Identifier: Apache-2.0
#pragma once
// The code files of a TorchScript archive, with their ranges in the user's source.

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/formats/pickle/torch_archive.h"
#include "core/ir/source.h"

namespace loupe {

class ArchiveCode {
  public:
    // Reads them all. Throws Error (File).
    explicit ArchiveCode(const TorchArchive& archive);

    // Of a qualifier: "__torch__.a.b" is code/__torch__/a/b.py; null when there is none.
    std::shared_ptr<const ir::Source> find(const std::string& qualifier) const;
    // In the order of the archive.
    const std::vector<std::shared_ptr<const ir::Source>>& sources() const { return sources_; }

  private:
    std::vector<std::shared_ptr<const ir::Source>> sources_;
    std::unordered_map<std::string, std::size_t> by_qualifier_;
};

}  // namespace loupe
