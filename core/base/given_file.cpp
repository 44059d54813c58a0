// SPDX-License-Identifier: Apache-2.0
#include "core/base/given_file.h"

#include <utility>

namespace loupe {
namespace {

thread_local const GivenFile* last = nullptr;

}  // namespace

GivenFile::GivenFile(std::filesystem::path path, FileHandle file)
    : path_(std::move(path)), file_(std::move(file)), before_(std::exchange(last, this)) {}

GivenFile::~GivenFile() { last = before_; }

const FileHandle* GivenFile::of(const std::filesystem::path& path) {
    for (const GivenFile* given = last; given != nullptr; given = given->before_) {
        if (given->file_.is_open() && given->path_ == path) return &given->file_;
    }
    return nullptr;
}

}  // namespace loupe
