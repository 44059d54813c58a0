// SPDX-License-Identifier: Apache-2.0
#include "core/base/deep_thread.h"

#include <sys/resource.h>

#include <algorithm>
#include <exception>
#include <system_error>

namespace loupe {
namespace {

// Python's own limit of 1,000 calls takes up to 8 KiB a call; setrecursionlimit goes further.
constexpr std::size_t kStack = std::size_t{256} << 20;

void* run_body(void* body) {
    (*static_cast<std::function<void()>*>(body))();
    return nullptr;
}

}  // namespace

void DeepThread::start(std::function<void()> body) {
    body_ = std::make_unique<std::function<void()>>(std::move(body));
    int error = 0;
    for (const std::size_t size : {kStack, kStack / 8, std::size_t{0}}) {
        pthread_attr_t attributes;
        if ((error = pthread_attr_init(&attributes)) != 0) break;
        if (size > 0) pthread_attr_setstacksize(&attributes, size);
        error = pthread_create(&thread_, &attributes, run_body, body_.get());
        pthread_attr_destroy(&attributes);
        if (error == 0) return;
    }
    throw std::system_error(error, std::generic_category(), "cannot start a thread");
}

void DeepThread::join() { pthread_join(thread_, nullptr); }

void allow_deep_stack() {
    constexpr rlim_t kWanted = rlim_t{100} << 20;  // below the gap that Linux leaves under a stack of any limit
    rlimit limit{};
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kWanted) return;
    limit.rlim_cur = limit.rlim_max == RLIM_INFINITY ? kWanted : std::min(kWanted, limit.rlim_max);
    setrlimit(RLIMIT_STACK, &limit);
}

namespace {

// Runs `apart` on a deep stack and `here` meanwhile; rethrows the exception of the second, else of the first. Throws
// std::system_error before either runs.
void run_apart(const std::function<void()>& apart, const std::function<void()>& here) {
    std::exception_ptr failure;
    DeepThread thread;
    thread.start([&] {
        try {
            apart();
        } catch (...) {
            failure = std::current_exception();
        }
    });
    try {
        here();
    } catch (...) {
        thread.join();
        throw;
    }
    thread.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace

void run_both(bool on_two_threads, const std::function<void()>& first, const std::function<void()>& second) {
    bool has_begun = false;
    if (on_two_threads) {
        try {
            run_apart(second, [&] {
                has_begun = true;
                first();
            });
            return;
        } catch (const std::system_error&) {
            if (has_begun) throw;  // else no thread can be had: one after the other
        }
    }
    first();
    second();
}

void run_deep(const std::function<void()>& body) {
    run_apart(body, [] {});
}

}  // namespace loupe
