// SPDX-License-Identifier: Apache-2.0
#include "plugins/llvm/disk_cache.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/SHA1.h>

#include <array>
#include <cstdlib>
#include <filesystem>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/strings.h"

namespace loupe::llvm_fuser {
namespace {

constexpr std::string_view kMagic = "tensorloupe kernel 1\n";
constexpr std::size_t kDigest = 20;

std::string digest_of(std::string_view text) {
    const auto digest = llvm::SHA1::hash(llvm::arrayRefFromStringRef(llvm::StringRef(text.data(), text.size())));
    return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

std::optional<std::filesystem::path> cache_folder() {
    const char* cache = std::getenv("XDG_CACHE_HOME");
    const char* home = std::getenv("HOME");
    if (cache != nullptr && *cache != '\0') return std::filesystem::path(cache) / "tensorloupe/kernels";
    if (home != nullptr && *home != '\0') return std::filesystem::path(home) / ".cache/tensorloupe/kernels";
    return std::nullopt;
}

std::optional<std::filesystem::path> file_of(const std::string& key) {
    const auto folder = cache_folder();
    if (!folder) return std::nullopt;
    return *folder / (llvm::toHex(digest_of(key), true) + ".o");
}

}  // namespace

// The magic line, the digest of the rest, the key's digest, the object.
std::optional<std::string> read_cached(const std::string& key) {
    const auto file = file_of(key);
    std::error_code error;
    if (!file || !std::filesystem::is_regular_file(*file, error)) return std::nullopt;
    try {
        const std::string text = read_text_file(*file);
        if (text.size() < kMagic.size() + 2 * kDigest || !text.starts_with(kMagic)) return std::nullopt;
        const std::string_view rest = std::string_view(text).substr(kMagic.size() + kDigest);
        if (std::string_view(text).substr(kMagic.size(), kDigest) != digest_of(rest)) return std::nullopt;
        if (rest.substr(0, kDigest) != digest_of("of " + key)) return std::nullopt;
        return std::string(rest.substr(kDigest));
    } catch (const Error&) {
        return std::nullopt;
    }
}

void write_cached(const std::string& key, const std::string& object) {
    const auto file = file_of(key);
    if (!file) return;
    try {
        std::error_code error;
        std::filesystem::create_directories(file->parent_path(), error);
        const std::string rest = digest_of("of " + key) + object;
        AtomicFile out(*file);
        out.write(concat(std::string(kMagic), digest_of(rest), rest));
        out.commit();
    } catch (const Error&) {
        return;
    }
}

}  // namespace loupe::llvm_fuser
