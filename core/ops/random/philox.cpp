// SPDX-License-Identifier: Apache-2.0
#include "core/ops/random/philox.h"

#include "core/base/error.h"
#include "core/tensor/device_graphs.h"

namespace loupe {
namespace {

std::uint32_t low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
std::uint32_t high(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }

}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
    constexpr std::uint64_t kFirst = 0xd2511f53, kSecond = 0xcd9e8d57;
    constexpr int kRounds = 10;
    for (int round = 0; round < kRounds; ++round) {
        const std::uint64_t a = kFirst * counter[0];
        const std::uint64_t b = kSecond * counter[2];
        counter = {high(b) ^ counter[1] ^ key[0], low(b), high(a) ^ counter[3] ^ key[1], low(a)};
        key[0] += 0x9e3779b9;
        key[1] += 0xbb67ae85;
    }
    return counter;
}

std::array<std::uint32_t, 4> Philox::at(const PhiloxState& state, std::uint64_t thread) {
    const std::uint64_t block = state.offset / 4;
    return philox({low(block), high(block), low(thread), high(thread)}, {low(state.seed), high(state.seed)});
}

PhiloxState Philox::take(std::uint64_t numbers) {
    const PhiloxState now = state_;
    state_.offset += (numbers + 3) / 4 * 4;
    return now;
}

void Philox::set_seed(std::uint64_t seed) {
    if (is_capturing(device_) && seed != state_.seed)
        throw Error(
            ErrorKind::Run,
            "CUDAGeneratorImpl::set_current_seed can be called during stream capture only if new seed is the same "
            "as the original seed.");
    if (!is_capturing(device_)) state_ = {seed, 0};
}

std::uint64_t Philox::draw_seed() {
    const auto numbers = at(take(2), 0);
    return static_cast<std::uint64_t>(numbers[0]) << 32 | numbers[1];
}

void Philox::set_state(const GeneratorState& given) {
    const auto* const state = std::get_if<PhiloxState>(&given);
    if (state == nullptr) throw Error(ErrorKind::Run, "the state is of another kind of generator than a device's");
    if (is_capturing(device_))
        throw Error(ErrorKind::Run,
                    "Cannot call CUDAGeneratorImpl::set_state during CUDA graph capture. If you need this call to be "
                    "captured, please file an issue. Current cudaStreamCaptureStatus: cudaStreamCaptureStatusActive");
    if (state->offset % 4 != 0) throw Error(ErrorKind::Run, "offset must be a multiple of 4");
    state_ = *state;
}

}  // namespace loupe
