// SPDX-License-Identifier: Apache-2.0
#include "core/python/guess/nearby_texts.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/strings.h"
#include "core/python/guess/example_calls.h"

namespace loupe::python {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = 16 << 20;
constexpr std::size_t kLargestFile = 1 << 20;
constexpr std::size_t kMostFiles = 1000;

bool is_file(const fs::path& path) {
    std::error_code failed;
    return fs::is_regular_file(fs::symlink_status(path, failed));
}

std::vector<fs::path> entries_of(const fs::path& folder) {
    std::vector<fs::path> out;
    std::error_code failed;
    for (fs::directory_iterator each(folder, failed), end; !failed && each != end; each.increment(failed)) {
        out.push_back(each->path());
        if (out.size() >= kMostFiles) break;
    }
    std::sort(out.begin(), out.end());
    return out;
}

// Python files below the folder, through no links.
std::vector<fs::path> python_files(const fs::path& folder) {
    std::vector<fs::path> out;
    std::error_code failed;
    for (fs::recursive_directory_iterator each(folder, fs::directory_options::skip_permission_denied, failed), end;
         !failed && each != end; each.increment(failed)) {
        if (each.depth() > 6) each.disable_recursion_pending();
        if (each->path().extension() == ".py" && is_file(each->path())) out.push_back(each->path());
        if (out.size() >= kMostFiles) break;
    }
    std::sort(out.begin(), out.end());
    return out;
}

bool is_page(const fs::path& path) {
    const std::string name = path.filename().string();
    return name.starts_with("README") || name == "METADATA" || name == "PKG-INFO";
}

}  // namespace

NearbyTexts::NearbyTexts(const ir::Source& source, fs::path folder, bool is_package)
    : source_(source), folder_(std::move(folder)), is_package_(is_package) {}

std::optional<std::string> NearbyTexts::read(const fs::path& file) {
    std::error_code failed;
    const auto size = fs::file_size(file, failed);
    if (failed || size > kLargestFile || bytes_ + size > kMostBytes || !is_file(file)) return std::nullopt;
    bytes_ += size;
    try {
        return read_text_file(file);
    } catch (const Error&) {
        return std::nullopt;
    }
}

void NearbyTexts::add_blocks(std::string_view page, const std::string& place) {
    for (std::string& block : python_blocks(page)) texts_.push_back({std::move(block), place});
}

void NearbyTexts::add_page(const fs::path& file) {
    if (const auto text = read(file)) add_blocks(*text, file.filename().string());
}

void NearbyTexts::add_python(const fs::path& file) {
    auto text = read(file);
    if (!text) return;
    std::error_code failed;
    std::string place = fs::relative(file, is_package_ ? folder_.parent_path() : folder_, failed).string();
    if (failed) place = file.filename().string();
    add_blocks(*text, place);  // of its documentation texts
    texts_.push_back({std::move(*text), std::move(place)});
}

void NearbyTexts::read_all() {
    has_read_ = true;
    const std::string own = source_.file() ? fs::path(*source_.file()).filename().string() : std::string("the source");
    add_blocks(source_.text(), own);
    texts_.push_back({source_.text(), own});
    if (folder_.empty()) return;
    std::vector<fs::path> pages{folder_};
    if (is_package_) pages.push_back(folder_.parent_path());
    for (const fs::path& place : pages) {
        for (const fs::path& entry : entries_of(place)) {
            if (is_page(entry)) add_page(entry);
        }
    }
    if (!is_package_) {
        for (const fs::path& entry : entries_of(folder_)) {
            if (entry.extension() == ".py") add_python(entry);
        }
    } else {
        const fs::path above = folder_.parent_path();
        for (const fs::path& entry : entries_of(above)) {
            // What pip wrote of the package.
            const std::string name = entry.filename().string();
            const bool is_its = name.starts_with(folder_.filename().string());
            if (!name.ends_with("-info") || !is_its) continue;
            for (const fs::path& part : entries_of(entry)) {
                if (is_page(part)) add_page(part);
            }
        }
        for (const char* name : {"tests", "test", "examples", "example"}) {
            for (const fs::path& file : python_files(above / name)) add_python(file);
        }
        for (const fs::path& file : python_files(folder_)) add_python(file);
    }
}

std::vector<NearbyText> NearbyTexts::with(std::string_view name) {
    if (!has_read_) read_all();
    std::vector<NearbyText> out;
    for (const NearbyText& each : texts_) {
        if (each.text.find(name) != std::string::npos) out.push_back(each);
    }
    return out;
}

}  // namespace loupe::python
