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

void run_both(bool on_two_threads, const std::function<void()>& first, const std::function<void()>& second) {
    if (!on_two_threads) {
        first();
        second();
        return;
    }
    std::exception_ptr failure;
    DeepThread thread;
    thread.start([&] {
        try {
            second();
        } catch (...) {
            failure = std::current_exception();
        }
    });
    try {
        first();
    } catch (...) {
        thread.join();
        throw;
    }
    thread.join();
    if (failure) std::rethrow_exception(failure);
}

void run_deep(const std::function<void()>& body) {
    std::exception_ptr failure;
    DeepThread thread;
    thread.start([&] {
        try {
            body();
        } catch (...) {
            failure = std::current_exception();
        }
    });
    thread.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace loupe
