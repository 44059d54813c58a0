// SPDX-License-Identifier: Apache-2.0
#include "core/python/language/fiber.h"

#include <sys/mman.h>
#include <ucontext.h>

#include <new>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace loupe::python {
namespace {

constexpr std::size_t kGuard = 4096;
#if defined(__SANITIZE_ADDRESS__)
constexpr std::size_t kStack = 1024 * 1024;  // its frames are larger
#else
constexpr std::size_t kStack = 256 * 1024;
#endif
constexpr std::size_t kKept = 16;

// Stacks that fibers have left, to be used again.
struct StackPool {
    std::vector<void*> free;
    ~StackPool() {
        for (void* stack : free) munmap(stack, kStack);
    }
};
StackPool& pool() {
    static thread_local StackPool stacks;
    return stacks;
}

void* take_stack() {
    auto& free = pool().free;
    if (!free.empty()) {
        void* stack = free.back();
        free.pop_back();
        return stack;
    }
    void* stack = mmap(nullptr, kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED) throw std::bad_alloc();
    if (mprotect(stack, kGuard, PROT_NONE) != 0) {  // no more mappings
        munmap(stack, kStack);
        throw std::bad_alloc();
    }
    return stack;
}

void give_stack(void* stack) {
    auto& free = pool().free;
    if (free.size() < kKept) {
        free.push_back(stack);
    } else {
        munmap(stack, kStack);
    }
}

}  // namespace

struct Fiber::State {
    std::function<void()> body;
    void* stack = nullptr;
    ucontext_t inside{};
    ucontext_t outside{};
    bool is_done = false;
#if defined(__SANITIZE_ADDRESS__)
    const void* outside_stack = nullptr;
    std::size_t outside_size = 0;
    void enter() { __sanitizer_finish_switch_fiber(nullptr, &outside_stack, &outside_size); }
    void leave(void** keep) { __sanitizer_start_switch_fiber(keep, outside_stack, outside_size); }
#else
    void enter() {}
    void leave(void**) {}
#endif
};

namespace {

// makecontext passes ints only: a pointer in two halves.
void start(unsigned high, unsigned low) {
    const auto address = (static_cast<std::uintptr_t>(high) << 32U) | static_cast<std::uintptr_t>(low);
    auto* state = reinterpret_cast<Fiber::State*>(address);
    state->enter();
    state->body();
    state->is_done = true;
    state->leave(nullptr);
}

}  // namespace

Fiber::Fiber(std::function<void()> body) : state_(std::make_unique<State>()) {
    state_->body = std::move(body);
    state_->stack = take_stack();
    getcontext(&state_->inside);
    state_->inside.uc_stack.ss_sp = state_->stack;
    state_->inside.uc_stack.ss_size = kStack;
    state_->inside.uc_link = &state_->outside;
    const auto address = reinterpret_cast<std::uintptr_t>(state_.get());
    makecontext(&state_->inside, reinterpret_cast<void (*)()>(start), 2, static_cast<unsigned>(address >> 32U),
                static_cast<unsigned>(address));
}

Fiber::~Fiber() { give_stack(state_->stack); }

void Fiber::resume() {
#if defined(__SANITIZE_ADDRESS__)
    void* keep = nullptr;
    __sanitizer_start_switch_fiber(&keep, state_->stack, kStack);
    swapcontext(&state_->outside, &state_->inside);
    __sanitizer_finish_switch_fiber(keep, nullptr, nullptr);
#else
    swapcontext(&state_->outside, &state_->inside);
#endif
}

void Fiber::suspend() {
    void* keep = nullptr;
    state_->leave(&keep);
    swapcontext(&state_->inside, &state_->outside);
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(keep, &state_->outside_stack, &state_->outside_size);
#endif
}

bool Fiber::is_done() const { return state_->is_done; }
std::uintptr_t Fiber::stack_begin() const { return reinterpret_cast<std::uintptr_t>(state_->stack) + kGuard; }

}  // namespace loupe::python
