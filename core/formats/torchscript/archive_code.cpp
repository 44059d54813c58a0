// SPDX-License-Identifier: Apache-2.0
#include "core/formats/torchscript/archive_code.h"

#include <algorithm>
#include <utility>

#include "core/base/cancel.h"
#include "core/base/strings.h"
#include "core/formats/archive/byte_reader.h"
#include "core/formats/pickle/debug_records.h"

namespace loupe {
namespace {

constexpr std::string_view kFolder = "code/";
constexpr std::string_view kExtension = ".py";
constexpr std::size_t kMostCode = std::size_t{1} << 28;

}  // namespace

ArchiveCode::ArchiveCode(const TorchArchive& archive) {
    std::size_t total = 0;
    for (const ZipEntry& entry : archive.zip().entries()) {
        check_cancelled();
        if (entry.name.size() <= archive.root().size() + 1) continue;
        const std::string name = entry.name.substr(archive.root().size() + 1);
        if (!name.starts_with(kFolder) || !name.ends_with(kExtension)) continue;
        total += static_cast<std::size_t>(std::min<std::uint64_t>(entry.size, kMostCode));
        if (total > kMostCode) throw_file_error("more code than any model has", archive.zip().file_name());
        std::string qualifier = name.substr(kFolder.size(), name.size() - kFolder.size() - kExtension.size());
        std::ranges::replace(qualifier, '/', '.');
        std::vector<ir::GeneratedFrom> records;
        const std::string debug = name + ".debug_pkl";
        if (archive.find(debug) != nullptr) records = parse_debug_records(archive.read(debug));
        by_qualifier_.emplace(std::move(qualifier), sources_.size());
        sources_.push_back(std::make_shared<const ir::Source>(archive.read(name), name, 0, std::move(records)));
    }
}

std::shared_ptr<const ir::Source> ArchiveCode::find(const std::string& qualifier) const {
    const auto found = by_qualifier_.find(qualifier);
    return found == by_qualifier_.end() ? nullptr : sources_[found->second];
}

}  // namespace loupe
