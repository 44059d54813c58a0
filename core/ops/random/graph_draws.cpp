// SPDX-License-Identifier: Apache-2.0
#include "core/ops/random/graph_draws.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "core/kernels/elementwise.h"
#include "core/tensor/device_graphs.h"

namespace loupe {
namespace {

thread_local std::shared_ptr<GraphDraws> thread_draws;

Tensor word_of(const Tensor& words, std::int64_t at) {
    return words.view_as_strided({}, {}, words.storage_offset() + at);
}
std::int64_t signed_word(std::uint64_t word) { return std::bit_cast<std::int64_t>(word); }

}  // namespace

PhiloxPlace take_for_kernel(Philox& generator, std::uint64_t numbers) {
    if (thread_draws == nullptr || !is_capturing(generator.device())) return {generator.take(numbers), nullptr};
    return thread_draws->take(generator, numbers);
}

void set_graph_draws(std::shared_ptr<GraphDraws> draws) { thread_draws = std::move(draws); }

PhiloxPlace GraphDraws::take(Philox& generator, std::uint64_t numbers) {
    auto found = std::ranges::find_if(all_, [&](const Own& own) { return own.generator.get() == &generator; });
    if (found == all_.end()) {
        const std::int64_t count = 2;
        found = all_.insert(
            all_.end(), {Ptr<Philox>(&generator), empty(IntSpan(&count, 1), ScalarType::Int64, generator.device())});
    }
    const PhiloxPlace place{{generator.seed(), found->numbers}, found->words.address()};
    found->numbers += (numbers + 3) / 4 * 4;
    return place;
}

void GraphDraws::begin_replay() {
    for (Own& own : all_) {
        const PhiloxState now = own.generator->take(own.numbers);
        fill_with(word_of(own.words, 0), Scalar(signed_word(now.seed)));
        fill_with(word_of(own.words, 1), Scalar(signed_word(now.offset)));
    }
}

}  // namespace loupe
