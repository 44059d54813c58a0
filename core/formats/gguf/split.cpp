// SPDX-License-Identifier: Apache-2.0
#include "core/formats/gguf/split.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <optional>
#include <unordered_set>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/archive/byte_reader.h"

namespace loupe {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostParts = 99'999;  // five digits name one

std::int64_t number(const OrderedJson& metadata, const char* key) {
    return metadata.contains(key) && metadata[key].is_number_integer() ? metadata[key].get<std::int64_t>() : 0;
}

std::string part_name(const std::string& stem, std::int64_t part, std::int64_t count) {
    char digits[64];
    std::snprintf(digits, sizeof digits, "-%05lld-of-%05lld.gguf", static_cast<long long>(part),
                  static_cast<long long>(count));
    return concat(stem, digits);
}

// The name without its number; nothing for a file that is named otherwise.
std::optional<std::string> stem_of(const std::string& name, std::int64_t part, std::int64_t count) {
    const std::string end = part_name("", part, count);
    if (!name.ends_with(end)) return std::nullopt;
    return name.substr(0, name.size() - end.size());
}

void add_part(GgufFile& all, GgufFile part) { std::ranges::move(part.tensors, std::back_inserter(all.tensors)); }

void check_names(const GgufFile& all, const fs::path& first) {
    std::unordered_set<std::string_view> seen;
    for (const GgufTensor& tensor : all.tensors)
        if (!seen.insert(tensor.name).second)
            throw Error(ErrorKind::File, concat(quote_name(tensor.name), " stands in two of its files"),
                        {.file = first.string()});
}

}  // namespace

GgufParts read_gguf_parts(const Ptr<MappedFile>& file) {
    GgufFile given = read_gguf(file);
    const std::int64_t count = number(given.metadata, "split.count");
    if (count <= 1) return {file, std::move(given)};
    const std::int64_t place = number(given.metadata, "split.no");
    const auto refuse = [&](const fs::path& path, std::string why) {
        throw Error(ErrorKind::File, std::move(why), {.file = path.string()});
    };
    if (count > kMostParts || place < 0 || place >= count)
        refuse(file->path(), concat("split.no is ", place, " and split.count ", count));
    const auto stem = stem_of(file->path().filename().string(), place + 1, count);
    if (!stem)
        refuse(file->path(), concat("it is part ", place + 1, " of ", count, " files, and its name does not end with ",
                                    part_name("", place + 1, count)));
    GgufParts out;
    for (std::int64_t i = 0; i < count; ++i) {
        const fs::path path = file->path().parent_path() / part_name(*stem, i + 1, count);
        std::error_code failed;
        if (i != place && !fs::is_regular_file(path, failed))
            refuse(file->path(), concat("part ", i + 1, " of ", count, " is missing: ", path.filename().string()));
        const Ptr<MappedFile> mapped = i == place ? file : MappedFile::open(path);
        GgufFile part = i == place ? std::move(given) : read_gguf(mapped);
        if (number(part.metadata, "split.count") != count || number(part.metadata, "split.no") != i)
            refuse(path, concat("it is not part ", i + 1, " of ", count, " files"));
        if (i == 0) {
            out = {mapped, std::move(part)};
        } else {
            add_part(out.all, std::move(part));
        }
    }
    const std::int64_t tensors = number(out.all.metadata, "split.tensors.count");
    if (tensors > 0 && tensors != std::ssize(out.all.tensors))
        refuse(out.first->path(),
               concat("its files have ", out.all.tensors.size(), " tensors together, not ", tensors));
    check_names(out.all, out.first->path());
    return out;
}

}  // namespace loupe
