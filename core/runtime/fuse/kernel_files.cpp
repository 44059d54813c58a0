// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/fuse/kernel_files.h"

#include <algorithm>
#include <array>
#include <boost/uuid/detail/sha1.hpp>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "core/base/cache_folder.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/strings.h"
#include "core/ops/numbers/warnings.h"

namespace loupe::runtime {
namespace {

constexpr std::string_view kMagic = "tensorloupe kernel 1\n";
constexpr std::size_t kDigest = 20;

// SHA-1.
std::string digest_of(std::string_view text) {
    boost::uuids::detail::sha1 sha;
    sha.process_bytes(text.data(), text.size());
    unsigned words[kDigest / 4];
    sha.get_digest(words);
    std::string digest;
    for (const unsigned word : words) {
        for (int shift = 24; shift >= 0; shift -= 8) digest += static_cast<char>(word >> shift & 0xFF);
    }
    return digest;
}

std::string hex_of(std::string_view bytes) {
    std::string hex;
    for (const char byte : bytes) {
        hex += "0123456789abcdef"[static_cast<unsigned char>(byte) >> 4];
        hex += "0123456789abcdef"[static_cast<unsigned char>(byte) & 15];
    }
    return hex;
}

std::optional<std::filesystem::path> file_of(const std::string& key) {
    const std::filesystem::path folder = cache_folder();
    if (folder.empty()) return std::nullopt;
    return folder / "kernels" / (hex_of(digest_of(key)) + ".o");
}

}  // namespace

namespace {

// A file with other contents is another program's, or damaged: it is replaced by the next write.
std::optional<std::string> object_in(const std::string& text, const std::string& key) {
    if (text.size() < kMagic.size() + 2 * kDigest || !text.starts_with(kMagic)) return std::nullopt;
    const std::string_view rest = std::string_view(text).substr(kMagic.size() + kDigest);
    if (std::string_view(text).substr(kMagic.size(), kDigest) != digest_of(rest)) return std::nullopt;
    if (rest.substr(0, kDigest) != digest_of("of " + key)) return std::nullopt;
    return std::string(rest.substr(kDigest));
}

std::uintmax_t cache_limit() {
    constexpr std::uintmax_t kDefault = 64;
    const char* given = std::getenv("TENSORLOUPE_KERNEL_CACHE_MB");
    const long long megabytes = given == nullptr ? -1 : std::atoll(given);
    return (megabytes < 0 ? kDefault : static_cast<std::uintmax_t>(megabytes)) << 20;
}

// Removes the least recently used files, down to a margin below the limit. Another process may do the same: missing
// files are fine.
void make_room(const std::filesystem::path& folder) {
    struct File {
        std::filesystem::file_time_type used;
        std::uintmax_t bytes;
        std::filesystem::path path;
    };
    std::vector<File> files;
    std::uintmax_t total = 0;
    std::error_code error;
    for (auto at = std::filesystem::directory_iterator(folder, error); at != std::filesystem::directory_iterator();
         at.increment(error)) {
        std::error_code gone;
        const std::uintmax_t bytes = at->is_regular_file(gone) ? at->file_size(gone) : 0;
        const auto used = at->last_write_time(gone);
        if (gone || bytes == 0) continue;
        files.push_back({used, bytes, at->path()});
        total += bytes;
    }
    const std::uintmax_t limit = cache_limit();
    if (total <= limit) return;
    std::sort(files.begin(), files.end(), [](const File& a, const File& b) { return a.used < b.used; });
    for (const File& file : files) {
        if (total <= limit / 4 * 3) break;
        std::filesystem::remove(file.path, error);
        total -= file.bytes;
    }
}

}  // namespace

// The magic line, the digest of the following parts, the key's digest, the object.
std::optional<std::string> read_kernel_file(const std::string& key) {
    const auto file = file_of(key);
    std::error_code error;
    if (!file || !std::filesystem::is_regular_file(*file, error)) return std::nullopt;
    try {
        std::optional<std::string> object = object_in(read_text_file(*file), key);
        if (object)
            std::filesystem::last_write_time(*file, std::filesystem::file_time_type::clock::now(), error);  // used
        else
            warn(concat("the compiled kernel ", file->string(), " is damaged; it is made again"));
        return object;
    } catch (const Error&) {
        return std::nullopt;
    }
}

void write_kernel_file(const std::string& key, const std::string& object) {
    const auto file = file_of(key);
    if (!file) return;
    try {
        std::error_code error;
        std::filesystem::create_directories(file->parent_path(), error);
        const std::string rest = digest_of("of " + key) + object;
        AtomicFile out(*file);
        out.write(concat(std::string(kMagic), digest_of(rest), rest));
        out.commit();
        make_room(file->parent_path());
    } catch (const Error&) {
        return;
    }
}

}  // namespace loupe::runtime
