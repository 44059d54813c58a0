// SPDX-License-Identifier: Apache-2.0
#include "core/base/temporary_name.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <utility>

namespace loupe {
namespace {

constexpr std::size_t kSlots = 64;

// A name is read by a signal handler on any thread: it is set after its folder, and taken by exchanging it.
struct Slot {
    std::atomic<bool> is_taken{false};
    std::atomic<int> folder{-1};
    std::atomic<const char*> name{nullptr};
};
std::array<Slot, kSlots> slots;

extern "C" void end_by_signal(int number) {
    const int before = errno;
    remove_temporary_names();
    std::signal(number, SIG_DFL);
    ::raise(number);
    errno = before;
}

}  // namespace

TemporaryName::TemporaryName(int folder, std::string name) : folder_(folder), name_(std::move(name)), slot_(0) {
    for (; slot_ < kSlots; ++slot_) {
        bool is_free = false;
        if (slots[slot_].is_taken.compare_exchange_strong(is_free, true)) break;
    }
    if (slot_ == kSlots) return;
    slots[slot_].folder = folder_;
    slots[slot_].name = name_.c_str();
}

TemporaryName::~TemporaryName() {
    if (folder_ >= 0) ::unlinkat(folder_, name_.c_str(), 0);
    keep();
}

void TemporaryName::keep() {
    folder_ = -1;
    if (slot_ == kSlots) return;
    slots[slot_].name = nullptr;
    slots[slot_].folder = -1;
    slots[slot_].is_taken = false;
    slot_ = kSlots;
}

void remove_temporary_names() {
    for (Slot& slot : slots) {
        const char* const name = slot.name.exchange(nullptr);
        if (name != nullptr) ::unlinkat(slot.folder, name, 0);
    }
}

void remove_temporary_names_on_signals() {
    for (const int number : {SIGHUP, SIGINT, SIGQUIT, SIGTERM}) {
        struct sigaction before {};
        if (::sigaction(number, nullptr, &before) != 0 || before.sa_handler == SIG_IGN) continue;
        struct sigaction action {};
        action.sa_handler = end_by_signal;
        ::sigemptyset(&action.sa_mask);
        ::sigaction(number, &action, nullptr);
    }
}

}  // namespace loupe
