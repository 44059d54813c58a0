// SPDX-License-Identifier: Apache-2.0
#include "core/python/language/file_notice.h"

#include <cstdio>
#include <utility>

#include "core/base/strings.h"

namespace loupe::python {
namespace {

thread_local const std::function<void(const FileNotice&)>* thread_handler = nullptr;

std::string sentence_of(const FileRefusal& refusal) {
    const bool is_write = refusal.access == FileRefusal::Access::Write;
    if (refusal.access == FileRefusal::Access::Remove) {
        return concat("may not remove, rename or replace ", refusal.path,
                      ": a source does this only to what it has made");
    }
    const std::string what = concat("may not ", is_write ? "write " : "read ", refusal.path, ": ");
    if (refusal.allow.empty())
        return concat(what, "devices, pipes, sockets and what the system shows of processes are opened by no source");
    if (refusal.lacks_folder)
        return concat(what, "its folder does not exist; --allow-write ", refusal.allow, " permits to make it");
    return concat(what,
                  is_write ? "a source writes a fresh folder of its own; --allow-write "
                           : "a source reads its own folder; --allow-read ",
                  refusal.allow, " permits it");
}

}  // namespace

std::string FileNotice::line() const {
    const std::string place = range ? range.short_text() : std::string();
    return place.empty() ? text : concat(place, ": ", text);
}

FileNotice refusal_notice(const FileRefusal& refusal, const ir::SourceRange& range) {
    FileNotice notice;
    notice.range = range;
    notice.refusal = refusal;
    notice.text = sentence_of(refusal);
    return notice;
}

FileNotice written_notice(const std::string& folder, const ir::SourceRange& range) {
    FileNotice notice;
    notice.kind = FileNotice::Kind::Wrote;
    notice.text = concat("the source writes into a fresh folder of its own: ", folder);
    notice.range = range;
    notice.folder = folder;
    return notice;
}

FileNotice left_notice(const std::string& source, const std::string& folder, std::size_t files, std::uint64_t bytes) {
    FileNotice notice;
    notice.kind = FileNotice::Kind::Left;
    notice.text = concat(source, ".py wrote ", files, files == 1 ? " file (" : " files (",
                         format_bytes(static_cast<double>(bytes)), ") into ", folder);
    notice.folder = folder;
    return notice;
}

FileNoticeScope::FileNoticeScope(std::function<void(const FileNotice&)> handler)
    : handler_(std::move(handler)), before_(thread_handler) {
    thread_handler = &handler_;
}
FileNoticeScope::~FileNoticeScope() { thread_handler = before_; }

void give_notice(const FileNotice& notice) {
    if (thread_handler != nullptr) return (*thread_handler)(notice);
    if (notice.kind == FileNotice::Kind::Wrote) return;
    // Behind what the source has printed.
    std::fflush(stdout);
    std::fprintf(stderr, "%s\n", notice.line().c_str());
}

}  // namespace loupe::python
