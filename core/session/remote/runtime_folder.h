// SPDX-License-Identifier: Apache-2.0
#pragma once
// The folder of this user's engines on this machine, which no other user can enter: sockets of each, a lock, a log.

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/file_handle.h"

namespace loupe::session {

class RuntimeFolder {
  public:
    // $TENSORLOUPE_RUNTIME, else /tmp/tensorloupe-UID; not the folder of the login, which is gone behind it. Made when
    // it is not there. Throws Error (Usage) for one that belongs to somebody else or can be entered by others.
    RuntimeFolder();

    // Of the engine of that name; throws Error (Usage) for a name that is none: letters, digits, - and _.
    std::filesystem::path socket_of(const std::string& name) const;
    // Where the ranks of a program on this machine meet; the name is of this process, once.
    std::filesystem::path meeting_of(const std::string& name) const;
    // Of the process beside it, over which a front hands grants.
    std::filesystem::path grants_of(const std::string& name) const;
    // Why it ended, one line, behind its end.
    std::filesystem::path end_of(const std::string& name) const;
    std::filesystem::path log_of(const std::string& name) const;
    // A folder, made when it is not there: what its model, run and training are made again from when it dies.
    std::filesystem::path kept_of(const std::string& name) const;
    // Names of engines that are there, or were.
    std::vector<std::string> names() const;
    // Held while one is looked for or started. Ends with the handle.
    FileHandle lock(const std::string& name) const;

  private:
    std::filesystem::path file(const std::string& name, const char* ending) const;

    std::filesystem::path path_;
};

}  // namespace loupe::session
