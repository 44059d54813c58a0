// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the user is notified of: a model source and files.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "core/base/file_sandbox.h"
#include "core/ir/source.h"

namespace loupe::python {

struct FileNotice {
    enum class Kind {
        Refused,  // an access that was not permitted; once for each path
        Wrote,    // the source has written its first file into its fresh folder
        Left,     // the source has ended, and its fresh folder stays with files in it
    };
    Kind kind = Kind::Refused;
    std::string text;       // one sentence, without the place
    ir::SourceRange range;  // of the statement; empty for Left
    FileRefusal refusal = {};
    std::string folder = {};  // for Wrote and Left

    // "net.py:3: may not write ..."
    std::string line() const;
};

FileNotice refusal_notice(const FileRefusal& refusal, const ir::SourceRange& range);
FileNotice written_notice(const std::string& folder, const ir::SourceRange& range);
FileNotice left_notice(const std::string& source, const std::string& folder, std::size_t files, std::uint64_t bytes);

// As long as it lives notices of sources that run on this thread go to the handler. Without one, refusals and left
// folders go to standard error.
class FileNoticeScope {
  public:
    explicit FileNoticeScope(std::function<void(const FileNotice&)> handler);
    FileNoticeScope(const FileNoticeScope&) = delete;
    FileNoticeScope& operator=(const FileNoticeScope&) = delete;
    ~FileNoticeScope();

  private:
    std::function<void(const FileNotice&)> handler_;
    const std::function<void(const FileNotice&)>* before_;
};

void give_notice(const FileNotice& notice);

}  // namespace loupe::python
