// SPDX-License-Identifier: Apache-2.0
#include "core/session/imported_file.h"

#include "core/base/error.h"
#include "core/formats/file_kind.h"

namespace loupe::session {

ImportedKind imported_kind(const std::filesystem::path& file) {
    std::error_code failed;
    if (!std::filesystem::is_regular_file(file, failed)) return ImportedKind::None;
    try {
        switch (identify_file(MappedFile::open(file)).kind) {
            case FileKind::ProfileTrace:
                return ImportedKind::ProfileTrace;
            case FileKind::MemorySnapshot:
                return ImportedKind::MemorySnapshot;
            default:
                return ImportedKind::None;
        }
    } catch (const Error&) {
        return ImportedKind::None;
    }
}

}  // namespace loupe::session
