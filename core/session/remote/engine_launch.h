// SPDX-License-Identifier: Apache-2.0
#pragma once
// How the process of an engine is started, and what it may write.

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace loupe::session {

struct EngineLaunch {
    std::filesystem::path program;
    std::vector<std::string> arguments = {"--stdio"};
    std::vector<std::pair<std::string, std::string>> environment = {};  // besides this process's
};

// The process may write into a folder of its own, which is its place for what is temporary, into its cache of kernels,
// and into the folders that it is given; see restrict_writes(). What it shall write elsewhere is opened for it.
// Is the folder that has to be written for the path to be there one of these, or below one?
bool may_write(const std::vector<std::filesystem::path>& writable, const std::filesystem::path& path);

class EngineHome {
  public:
    // writable: folders; those that do not exist are left out.
    EngineHome(std::filesystem::path program, std::vector<std::filesystem::path> writable);
    EngineHome(const EngineHome&) = delete;
    EngineHome& operator=(const EngineHome&) = delete;
    // Its own folder goes when nothing is in it: what a source wrote is its user's.
    ~EngineHome();

    // Of the next process. Throws Error (Usage) when there is no place for its own folder.
    EngineLaunch launch();
    // All that the next process may write, its own folder, which is made, first. Throws Error (Usage) likewise.
    std::vector<std::filesystem::path> writable();
    // What is left there of a process that was ended at once, and that only a process reads, is removed.
    void remove_leftovers() const;
    // May one that is launched now write there?
    bool holds(const std::filesystem::path& path) const;
    void add(const std::filesystem::path& path);

  private:
    std::filesystem::path program_;
    std::filesystem::path own_;
    std::vector<std::filesystem::path> writable_;
};

}  // namespace loupe::session
