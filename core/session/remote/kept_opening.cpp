// SPDX-License-Identifier: Apache-2.0
#include "core/session/remote/kept_opening.h"

#include <fcntl.h>

#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/strings.h"
#include "core/session/remote/protocol.h"
#include "core/session/wire/wire.h"

namespace loupe::session {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 10;

fs::path file_in(const fs::path& folder) { return folder / "opened"; }

}  // namespace

KeptOpening::KeptOpening(fs::path folder, Opened opened)
    : folder_(std::move(folder)), opened_(std::move(opened)), before_(kept_opening(folder_)) {
    forget_opening(folder_);
}

KeptOpening::~KeptOpening() {
    if (before_.empty()) return;
    try {
        write_file_atomically(file_in(folder_), before_);
    } catch (const Error&) {  // then the next engine has no model
    }
}

void KeptOpening::succeed() {
    before_.clear();
    write_file_atomically(file_in(folder_), concat(protocol_id(), "\n", to_bytes(opened_)));
}

void forget_opening(const fs::path& folder) {
    std::error_code ignored;
    fs::remove(file_in(folder), ignored);
}

std::string kept_opening(const fs::path& folder) {
    const fs::path path = file_in(folder);
    const FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
    if (!file.is_open()) return {};
    try {
        return contents_of(file, path, kMostBytes);
    } catch (const Error&) {
        return {};
    }
}

std::optional<Opened> read_opening(std::string_view kept) {
    const std::string mark = concat(protocol_id(), "\n");
    if (!kept.starts_with(mark)) return std::nullopt;
    try {
        auto opened = from_bytes<Opened>(kept.substr(mark.size()));
        return opened.open.file.empty() ? std::nullopt : std::optional(std::move(opened));
    } catch (const Error&) {
        return std::nullopt;
    }
}

}  // namespace loupe::session
