// SPDX-License-Identifier: Apache-2.0
#include "archive_code.h"

#include "core/formats/pickle/debug_records.h"
#include "core/formats/pickle/pickle_reader.h"

namespace loupe::script {

ArchiveCode::ArchiveCode(const QString& path, GraphCleanup cleanup) {
    const ZipReader zip(MappedFile::open(path.toStdString()));
    for (const ZipEntry& entry : zip.entries()) {
        const std::size_t code = entry.name.find("/code/");
        if (code == std::string::npos || !entry.name.ends_with(".py")) continue;
        std::string qualifier = entry.name.substr(code + 6, entry.name.size() - code - 9);
        for (char& c : qualifier) {
            if (c == '/') c = '.';
        }
        std::vector<ir::GeneratedFrom> ranges;
        if (const ZipEntry* debug = zip.find(entry.name + ".debug_pkl")) {
            ranges = parse_debug_records(zip.read(*debug, 1 << 26));
        }
        sources[qualifier] = std::make_shared<const ir::Source>(zip.read(entry, 1 << 26), entry.name.substr(code + 1),
                                                                0, std::move(ranges));
    }
    const std::int64_t sizes[] = {1};
    const std::vector<IValue> constants(64, IValue(empty(sizes, ScalarType::Float32)));
    CompileOptions options;
    options.cleanup = std::move(cleanup);
    importer = make_ptr<SourceImporter>(
        *unit, constants,
        [this](const std::string& qualifier) {
            const auto found = sources.find(qualifier);
            return found != sources.end() ? found->second : nullptr;
        },
        options);
}

void ArchiveCode::define_all() {
    for (const auto& [qualifier, source] : sources) {
        const ParsedSource parsed = parse(source);
        for (const Stmt* statement : parsed.tree->body) {
            if (const auto* def = as<Def>(statement)) importer->find_function(qualifier + "." + std::string(def->name));
            if (const auto* type = as<Class>(statement)) importer->find_type(qualifier + "." + std::string(type->name));
        }
    }
}

}  // namespace loupe::script
