// SPDX-License-Identifier: Apache-2.0
#pragma once
// The code of a fixture archive, without its tensors.

#include <QString>
#include <map>

#include "core/formats/archive/zip_reader.h"
#include "core/script/source_importer.h"

namespace loupe::script {

struct ArchiveCode {
    explicit ArchiveCode(const QString& path, GraphCleanup cleanup = nullptr);
    // Defines every class and function; graphs are not compiled yet.
    void define_all();

    Ptr<ir::CompilationUnit> unit = make_ptr<ir::CompilationUnit>();
    Ptr<SourceImporter> importer;
    std::map<std::string, std::shared_ptr<const ir::Source>> sources;  // by qualifier
};

}  // namespace loupe::script
