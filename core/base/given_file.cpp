// SPDX-License-Identifier: Apache-2.0
#include "core/base/given_file.h"

#include <utility>

namespace loupe {
namespace {

thread_local GivenFile* last = nullptr;

}  // namespace

GivenFile::GivenFile(std::filesystem::path path, FileHandle file)
    : path_(std::move(path)), file_(std::move(file)), before_(std::exchange(last, this)) {}

GivenFile::~GivenFile() { last = before_; }

GivenFile* GivenFile::of(const std::filesystem::path& path) {
    for (GivenFile* given = last; given != nullptr; given = given->before_) {
        if (given->file_.is_open() && given->path_ == path) return given;
    }
    return nullptr;
}

}  // namespace loupe
