// SPDX-License-Identifier: Apache-2.0
#include "core/formats/pickle/torch_archive.h"

#include <charconv>
#include <utility>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/archive/byte_reader.h"

namespace loupe {
namespace {

constexpr std::uint64_t kLargestText = std::uint64_t{1} << 28;

}  // namespace

TorchArchive::TorchArchive(Ptr<MappedFile> file) : zip_(std::move(file)) {
    if (zip_.entries().empty()) throw_file_error("an empty archive", zip_.file_name());
    const std::string& first = zip_.entries().front().name;
    root_ = first.substr(0, first.find('/'));
    if (find("byteorder") != nullptr && read("byteorder") != "little") {
        throw Error(ErrorKind::Unsupported, "written on a big-endian machine, which is not supported",
                    {.file = zip_.file_name()});
    }
}

std::string TorchArchive::read(std::string_view name) const {
    const ZipEntry* entry = find(name);
    if (entry == nullptr) throw_file_error(concat("archive without ", quote_name(name)), zip_.file_name());
    return zip_.read(*entry, kLargestText);
}

std::optional<std::int64_t> TorchArchive::version() const {
    for (const std::string_view name : {".data/version", "version"}) {
        if (find(name) == nullptr) continue;
        const std::string text = read(name);
        std::int64_t number = 0;
        const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (failure != std::errc{}) throw_file_error(concat("bad version ", quote_name(text)), zip_.file_name());
        return number;
    }
    return std::nullopt;
}

}  // namespace loupe
