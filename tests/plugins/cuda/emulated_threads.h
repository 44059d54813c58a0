// SPDX-License-Identifier: Apache-2.0
#pragma once
// A GPU's threads on the host, for kernels that are compiled as they are: each thread of a block is a fiber that runs
// until the others are to meet it. Included before a kernel's text.

#include <ucontext.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#define __global__
#define __shared__ static
#define __grid_constant__
#define __launch_bounds__(threads)

struct EmulatedPlace {
    unsigned x = 0, y = 0, z = 0;
};
inline EmulatedPlace threadIdx, blockIdx, blockDim, gridDim;

class EmulatedBlock {
  public:
    static EmulatedBlock& instance() {
        static EmulatedBlock block;
        return block;
    }

    void run(void (*thread)(const void*), const void* data, unsigned blocks, unsigned threads, unsigned lanes) {
        thread_ = thread;
        data_ = data;
        blockDim = {threads, lanes, 1};
        gridDim = {blocks, 1, 1};
        for (unsigned b = 0; b < blocks; ++b) {
            blockIdx = {b, 0, 0};
            run_block(threads * lanes);
        }
    }

    // All threads of the block, or of the warp, come here before one goes on.
    void meet_block() { meet(block_, count_); }
    void meet_warp() {
        const unsigned warp = current_ / 32;
        meet(warps_[warp], count_ - warp * 32 < 32 ? count_ - warp * 32 : 32);
    }
    unsigned exchange(unsigned value, unsigned from) {
        slots_[current_] = value;
        meet_warp();
        const unsigned found = slots_[current_ / 32 * 32 + from];
        meet_warp();
        return found;
    }
    unsigned lane() const { return current_ % 32; }

  private:
    static constexpr std::size_t kStack = 64 * 1024;
    static constexpr unsigned kMost = 1024;

    struct Meeting {
        unsigned arrived = 0, passed = 0;
    };
    struct Fiber {
        ucontext_t context{};
        std::unique_ptr<char[]> stack{new char[kStack]};
        bool is_over = true;
    };

    void run_block(unsigned count) {
        count_ = count;
        while (fibers_.size() < count) fibers_.push_back(std::make_unique<Fiber>());
        warps_.assign(kMost / 32, {});
        block_ = {};
        for (unsigned t = 0; t < count; ++t) start(*fibers_[t]);
        for (unsigned left = count; left > 0;) {
            const unsigned left_before = left, met_before = meetings_;
            for (unsigned t = 0; t < count; ++t) {
                if (fibers_[t]->is_over) continue;
                enter(t);
                left -= fibers_[t]->is_over ? 1 : 0;
            }
            if (left > 0 && left == left_before && meetings_ == met_before) {
                std::fprintf(stderr, "threads wait for others that do not come\n");
                std::abort();
            }
        }
    }
    void start(Fiber& fiber) {
        getcontext(&fiber.context);
        fiber.context.uc_stack.ss_sp = fiber.stack.get();
        fiber.context.uc_stack.ss_size = kStack;
        fiber.context.uc_link = &scheduler_;
        fiber.is_over = false;
        makecontext(&fiber.context, &EmulatedBlock::body, 0);
    }
    static void body() {
        EmulatedBlock& block = instance();
        block.thread_(block.data_);
        block.fibers_[block.current_]->is_over = true;
    }
    void enter(unsigned t) {
        current_ = t;
        threadIdx = {t % blockDim.x, t / blockDim.x, 0};
        swapcontext(&scheduler_, &fibers_[t]->context);
    }
    void meet(Meeting& meeting, unsigned count) {
        const unsigned passed = meeting.passed;
        if (++meeting.arrived == count) {
            meeting.arrived = 0;
            ++meeting.passed;
            ++meetings_;
            return;
        }
        while (meeting.passed == passed) swapcontext(&fibers_[current_]->context, &scheduler_);
    }

    void (*thread_)(const void*) = nullptr;
    const void* data_ = nullptr;
    unsigned count_ = 0, current_ = 0, meetings_ = 0;
    ucontext_t scheduler_{};
    std::vector<std::unique_ptr<Fiber>> fibers_;
    std::vector<Meeting> warps_;
    Meeting block_;
    unsigned slots_[kMost] = {};
};

inline void __syncthreads() { EmulatedBlock::instance().meet_block(); }
inline unsigned __shfl_sync(unsigned, unsigned value, int from) {
    return EmulatedBlock::instance().exchange(value, static_cast<unsigned>(from));
}
inline unsigned __shfl_down_sync(unsigned, unsigned value, int lanes) {
    EmulatedBlock& block = EmulatedBlock::instance();
    const unsigned from = block.lane() + static_cast<unsigned>(lanes);
    return block.exchange(value, from < 32 ? from : block.lane());
}

// What a kernel is called with: its arguments, blocks, threads.
using EmulatedKernel = void (*)(const std::int64_t* words, unsigned blocks, unsigned threads, unsigned lanes);
template <typename Arguments>
void emulate(void (*kernel)(Arguments), const std::int64_t* words, unsigned blocks, unsigned threads, unsigned lanes) {
    struct Call {
        void (*kernel)(Arguments);
        Arguments arguments;
    } call{kernel, {}};
    std::memcpy(&call.arguments, words, sizeof call.arguments);
    const auto thread = [](const void* data) {
        const auto* const given = static_cast<const Call*>(data);
        given->kernel(given->arguments);
    };
    EmulatedBlock::instance().run(thread, &call, blocks, threads, lanes);
}
