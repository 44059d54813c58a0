// SPDX-License-Identifier: Apache-2.0
#include "core/base/restricted_thread.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

#include "core/base/file_handle.h"

namespace loupe {
namespace {

// The kernel's interface: <linux/landlock.h> of the build system may be older than the kernel.
struct RulesetAttributes {
    std::uint64_t handled_access_fs = 0;
};
struct [[gnu::packed]] PathAttributes {
    std::uint64_t allowed_access = 0;
    std::int32_t parent_fd = -1;
};
constexpr int kCreateRuleset = 444;
constexpr int kAddRule = 445;
constexpr int kRestrictSelf = 446;
constexpr unsigned kVersion = 1U;
constexpr int kRulePath = 1;

constexpr std::uint64_t bit(int number) { return std::uint64_t{1} << number; }
constexpr std::uint64_t kWriteFile = bit(1), kReadFile = bit(2), kReadFolder = bit(3), kTruncate = bit(14);
constexpr std::uint64_t kOfFiles = bit(0) | kWriteFile | kReadFile | kTruncate | bit(15);

// All rights of this version: execute, read, write, make, remove; refer from 2, truncate from 3, ioctl from 5.
std::uint64_t all_rights(int version) {
    const int known = version >= 5 ? 16 : version >= 3 ? 15 : version == 2 ? 14 : 13;
    return bit(known) - 1;
}

bool add_rule(int ruleset, const RestrictedThread::Rule& rule, std::uint64_t all) {
    const FileHandle place(::open(rule.path.c_str(), O_PATH | O_CLOEXEC));
    struct stat facts {};
    if (!place.is_open() || ::fstat(place.get(), &facts) != 0) return true;
    PathAttributes attributes;
    attributes.allowed_access = rule.can_write ? all & ~bit(0) : kReadFile | kReadFolder;
    if (!S_ISDIR(facts.st_mode)) attributes.allowed_access &= kOfFiles;
    attributes.allowed_access &= all;
    attributes.parent_fd = place.get();
    return ::syscall(kAddRule, ruleset, kRulePath, &attributes, 0U) == 0;
}

// Rights that are not handled stay.
bool restrict_this_thread(const std::vector<RestrictedThread::Rule>& rules, std::uint64_t handled_rights) {
    const int version = RestrictedThread::version();
    if (version <= 0) return false;
    const RulesetAttributes handled{handled_rights & all_rights(version)};
    const FileHandle ruleset(static_cast<int>(::syscall(kCreateRuleset, &handled, sizeof handled, 0U)));
    if (!ruleset.is_open()) return false;
    for (const auto& rule : rules) {
        if (!add_rule(ruleset.get(), rule, handled.handled_access_fs)) return false;
    }
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
    return ::syscall(kRestrictSelf, ruleset.get(), 0U) == 0;
}

}  // namespace

bool restrict_writes(const std::vector<std::filesystem::path>& writable) {
    std::vector<RestrictedThread::Rule> rules;
    for (const auto& path : writable) rules.push_back({path, true});
    constexpr std::uint64_t kReads = bit(0) | kReadFile | kReadFolder | bit(15);
    return restrict_this_thread(rules, ~kReads);
}

std::filesystem::path nearest_folder(const std::filesystem::path& path) {
    namespace fs = std::filesystem;
    std::error_code failed;
    fs::path at = fs::weakly_canonical(fs::absolute(path, failed), failed);
    while (at.has_relative_path() && !fs::is_directory(at, failed)) at = at.parent_path();
    return at;
}

int RestrictedThread::version() {
    static const int known = [] {
        const long version = ::syscall(kCreateRuleset, nullptr, std::size_t{0}, kVersion);
        return version < 0 ? 0 : static_cast<int>(version);
    }();
    return known;
}

RestrictedThread::RestrictedThread(std::vector<Rule> rules)
    : thread_([this, given = std::move(rules)] { loop(given); }) {}

RestrictedThread::~RestrictedThread() {
    {
        const std::lock_guard lock(mutex_);
        quits_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

bool RestrictedThread::is_restricted() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_ready_; });
    return is_restricted_;
}

void RestrictedThread::run(const std::function<void()>& calls) {
    std::unique_lock lock(mutex_);
    calls_ = &calls;
    changed_.notify_all();
    changed_.wait(lock, [this] { return calls_ == nullptr; });
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void RestrictedThread::loop(const std::vector<Rule>& rules) {
    const bool is_restricted = restrict_this_thread(rules, ~std::uint64_t{0});
    std::unique_lock lock(mutex_);
    is_restricted_ = is_restricted;
    is_ready_ = true;
    changed_.notify_all();
    while (true) {
        changed_.wait(lock, [this] { return quits_ || calls_ != nullptr; });
        if (calls_ == nullptr) return;
        const auto* const calls = calls_;
        lock.unlock();
        std::exception_ptr failure;
        try {
            (*calls)();
        } catch (...) {
            failure = std::current_exception();
        }
        lock.lock();
        failure_ = failure;
        calls_ = nullptr;
        changed_.notify_all();
    }
}

}  // namespace loupe
