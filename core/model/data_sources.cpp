// SPDX-License-Identifier: Apache-2.0
#include "core/model/data_sources.h"

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/sources/source.h"

namespace loupe::session {
namespace {

void describe_values(const IValue& value, std::vector<std::string>& out) {
    if (value.is_tuple()) {
        for (const IValue& element : value.to_tuple().elements) describe_values(element, out);
    } else if (value.is_tensor()) {
        out.push_back(describe(value.to_tensor()));
    } else {
        out.push_back(concat(value_type_name(value), " ", python_repr(value)));
    }
}

}  // namespace

std::vector<DataSourceInfo> data_sources() {
    std::vector<DataSourceInfo> infos;
    for (const data::SourceRecord* record : data::source_records()) {
        DataSourceInfo info{std::string(record->name), std::string(record->what), {}};
        for (const data::SourceOption& option : record->options) {
            info.options.push_back({std::string(option.name), std::string(option.form),
                                    std::string(option.default_text), std::string(option.what)});
        }
        infos.push_back(std::move(info));
    }
    return infos;
}

std::string guess_data_source(const std::filesystem::path& path) {
    const data::SourceRecord* record = data::guess_source(path);
    return record == nullptr ? std::string() : std::string(record->name);
}

DataSummary describe_data(const DataSpec& spec) {
    if (spec.path.empty()) throw Error(ErrorKind::Usage, "no file or folder of data is named");
    const data::Source source = data::open_source({spec.source, spec.path, spec.options});
    DataSummary summary;
    summary.source = spec.source.empty() ? guess_data_source(spec.path) : spec.source;
    summary.description = source.description;
    summary.samples = source.dataset->size();
    summary.classes = source.classes;
    summary.notes = source.notes;
    if (summary.samples == 0) return summary;
    try {
        describe_values(source.dataset->get(0), summary.sample);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::File && error.kind() != ErrorKind::Unsupported) throw;
        summary.notes.push_back(concat("the first sample is damaged: ", error.what()));
    }
    return summary;
}

}  // namespace loupe::session
