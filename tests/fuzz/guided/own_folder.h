// SPDX-License-Identifier: Apache-2.0
#pragma once
// Damaged programs and orders name files to be written.

#include <filesystem>

namespace loupe::fuzz {

// The working directory and the place of temporary files while it lives; nothing can be written elsewhere, but by what
// writes down what was found.
class OwnFolder {
  public:
    explicit OwnFolder(const std::filesystem::path& also = {});
    OwnFolder(const OwnFolder&) = delete;
    OwnFolder& operator=(const OwnFolder&) = delete;
    ~OwnFolder();

  private:
    std::filesystem::path path_;
};

}  // namespace loupe::fuzz
