// SPDX-License-Identifier: Apache-2.0
#include "core/session/file_notices.h"

#include "core/model/shown_source.h"

namespace loupe::session {

SessionListener::LogEntry entry_of(const python::FileNotice& notice) {
    using Access = SessionListener::FileAccess::Kind;
    SessionListener::LogEntry entry;
    entry.text = notice.text;
    if (notice.range) entry.source = place_of(notice.range);
    entry.access.folder = notice.folder;
    switch (notice.kind) {
        case python::FileNotice::Kind::Refused: {
            const FileRefusal& refusal = notice.refusal;
            entry.level = SessionListener::LogEntry::Level::Warning;
            entry.access.kind = Access::Refused;
            entry.access.is_write = refusal.access != FileRefusal::Access::Read;
            entry.access.is_removal = refusal.access == FileRefusal::Access::Remove;
            entry.access.lacks_folder = refusal.lacks_folder;
            entry.access.path = refusal.path;
            entry.access.allow = refusal.allow;
            break;
        }
        case python::FileNotice::Kind::Wrote:
            entry.access.kind = Access::Wrote;
            break;
        case python::FileNotice::Kind::Left:
            entry.access.kind = Access::Left;
            break;
    }
    return entry;
}

}  // namespace loupe::session
