// SPDX-License-Identifier: Apache-2.0
#include "core/formats/sources/source.h"

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/sources/source_list.h"

namespace loupe::data {

std::span<const SourceRecord* const> source_records() { return source_list(); }

const SourceRecord& find_source(std::string_view name) {
    std::vector<std::string_view> names;
    for (const SourceRecord* record : source_records()) {
        if (record->name == name) return *record;
        names.push_back(record->name);
    }
    throw Error(ErrorKind::Usage, concat("no data source '", name, "'; there are ", join(names, ", ")));
}

const SourceRecord* guess_source(const std::filesystem::path& path) {
    for (const SourceRecord* record : source_records()) {
        if (record->accepts(path)) return record;
    }
    return nullptr;
}

Source open_source(const SourceSpec& spec) {
    std::error_code ignored;
    if (!std::filesystem::exists(spec.path, ignored)) {
        throw Error(ErrorKind::Usage, "cannot open: No such file or directory", {.file = spec.path.string()});
    }
    const SourceRecord* record = spec.source.empty() ? guess_source(spec.path) : &find_source(spec.source);
    if (record == nullptr) {
        std::vector<std::string_view> names;
        for (const SourceRecord* each : source_records()) names.push_back(each->name);
        throw Error(ErrorKind::Usage, "no data source knows what this is",
                    {.file = spec.path.string(), .hint = concat("name one of ", join(names, ", "))});
    }
    try {
        return record->open(spec.path, SourceOptions(*record, spec.options));
    } catch (Error& error) {
        if (error.kind() != ErrorKind::Usage) error.add_context({.file = spec.path.string()});
        throw;
    }
}

}  // namespace loupe::data
