// SPDX-License-Identifier: Apache-2.0
#pragma once
// A thread that the kernel lets touch only some files (Landlock): a second lock behind checks in this program.

#include <condition_variable>
#include <exception>
#include <filesystem>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace loupe {

// Restricts this thread, and threads that it starts, to write, create, remove and rename files only below these
// folders; reading is unrestricted. False, without effect, where the kernel has no Landlock.
bool restrict_writes(const std::vector<std::filesystem::path>& writable);

// The folder that has to be written for a file, or a folder, to appear there.
std::filesystem::path nearest_folder(const std::filesystem::path& path);

class RestrictedThread {
  public:
    struct Rule {
        std::filesystem::path path;  // a folder with all below it, or a file
        bool can_write = false;
    };

    // The version of Landlock's interface; 0 where the kernel has none.
    static int version();

    // Opening, creating, removing and renaming files fails with EACCES outside of the rules' paths. Other threads, and
    // files that are open already, are not affected. Rules for paths that do not exist permit nothing.
    explicit RestrictedThread(std::vector<Rule> rules);
    RestrictedThread(const RestrictedThread&) = delete;
    RestrictedThread& operator=(const RestrictedThread&) = delete;
    ~RestrictedThread();

    // False where the kernel has no Landlock: the thread then works unrestricted.
    bool is_restricted();
    // Runs the calls there, waits for them and rethrows their exceptions. One caller at a time.
    void run(const std::function<void()>& calls);

  private:
    void loop(const std::vector<Rule>& rules);

    std::mutex mutex_;
    std::condition_variable changed_;
    const std::function<void()>* calls_ = nullptr;
    std::exception_ptr failure_;
    bool is_ready_ = false;
    bool is_restricted_ = false;
    bool quits_ = false;
    std::thread thread_;  // last: it uses the members above
};

}  // namespace loupe
