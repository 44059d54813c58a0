// SPDX-License-Identifier: Apache-2.0
// Counts of n-grams of whole numbers.
#include <algorithm>

#include "core/base/cancel.h"
#include "plugins/onnx/ops/common.h"

namespace loupe::onnx {
namespace {

struct Grams {
    std::int64_t shortest, longest, most_skips;
    std::vector<double> weights;
    Dims starts;  // of each length's n-grams in the pool
    Dims places;  // in the output
    Dims pool;
};

// The n-grams of length n begin at their start in the pool and lie one behind another.
void count_grams(const Grams& g, std::span<const std::int64_t> text, float* counts) {
    std::size_t gram = 0;
    for (std::size_t length = 1; length <= g.starts.size(); ++length) {
        const std::int64_t begin = g.starts[length - 1];
        const std::int64_t end = length < g.starts.size() ? g.starts[length] : static_cast<std::int64_t>(g.pool.size());
        require(begin >= 0 && begin <= end && end <= static_cast<std::int64_t>(g.pool.size()),
                "ngram_counts do not fit the pool");
        const auto n = static_cast<std::int64_t>(length);
        for (std::int64_t at = begin; at + n <= end; at += n, ++gram) {
            check_cancelled();
            require(gram < g.places.size(), "ngram_indexes are fewer than the n-grams");
            if (n < g.shortest || n > g.longest) continue;
            // A single number has no neighbours to skip.
            const std::int64_t skips = n == 1 ? 0 : g.most_skips;
            for (std::int64_t skip = 0; skip <= skips; ++skip) {
                const std::int64_t reach = (n - 1) * (skip + 1);
                for (std::int64_t i = 0; i + reach < static_cast<std::int64_t>(text.size()); ++i) {
                    bool is_equal = true;
                    for (std::int64_t k = 0; k < n && is_equal; ++k) {
                        is_equal = text[static_cast<std::size_t>(i + k * (skip + 1))] ==
                                   g.pool[static_cast<std::size_t>(at + k)];
                    }
                    if (is_equal) counts[g.places[gram]] += 1;
                }
            }
        }
    }
}

Tensor tf_idf(const Tensor& x, std::int64_t max_gram_length, std::int64_t max_skip_count, std::int64_t min_gram_length,
              std::string_view mode, const Dims& ngram_counts, const Dims& ngram_indexes,
              const std::optional<Dims>& pool_int64s, const std::optional<std::vector<double>>& weights) {
    require(is_integral(x.dtype()) && pool_int64s.has_value(), "counts of strings, which the engine has no tensors of");
    require(x.dim() == 1 || x.dim() == 2, "expected one text or several, got ", describe(x));
    require(max_skip_count >= 0 && max_skip_count < 1 << 20, "skips of ", max_skip_count);
    const Grams g{min_gram_length, max_gram_length, max_skip_count, weights.value_or(std::vector<double>()),
                  ngram_counts,    ngram_indexes,   *pool_int64s};
    std::int64_t width = 0;
    for (const std::int64_t place : g.places) {
        require(place >= 0 && place < 1 << 26, "ngram_indexes holds ", place);
        width = std::max(width, place + 1);
    }
    require(g.weights.empty() || g.weights.size() == g.places.size(), "weights are fewer or more than ngram_indexes");
    const Tensor text = fn::contiguous(cast(x, ScalarType::Int64));
    const std::int64_t rows = x.dim() == 2 ? x.size(0) : 1;
    const std::int64_t length = x.dim() == 2 ? x.size(1) : x.size(0);
    const Dims sizes = x.dim() == 2 ? Dims{rows, width} : Dims{width};
    const Tensor out = zeros(span_of(sizes), ScalarType::Float32);
    std::vector<float> weight_at(static_cast<std::size_t>(width), 1);
    for (std::size_t i = 0; i < g.weights.size(); ++i)
        weight_at[static_cast<std::size_t>(g.places[i])] = static_cast<float>(g.weights[i]);
    require(mode == "TF" || mode == "IDF" || mode == "TFIDF", "mode is TF, IDF or TFIDF");
    for (std::int64_t row = 0; row < rows; ++row) {
        float* counts = out.data<float>() + row * width;
        count_grams(g, {text.data<std::int64_t>() + row * length, static_cast<std::size_t>(length)}, counts);
        for (std::int64_t i = 0; i < width && mode != "TF"; ++i) {
            const float by = weight_at[static_cast<std::size_t>(i)];
            counts[i] = mode == "IDF" ? (counts[i] > 0 ? by : 0) : counts[i] * by;
        }
    }
    return out;
}

constexpr OperatorRecord kRecords[] = {
    reading(
        "onnx::TfIdfVectorizer(Tensor X, *, int max_gram_length, int max_skip_count, int min_gram_length, str mode, "
        "int[] ngram_counts, int[] ngram_indexes, int[]? pool_int64s=None, float[]? weights=None) -> Tensor",
        "How often each n-gram of a pool appears.", boxed<tf_idf>),
};

}  // namespace

std::span<const OperatorRecord> counting_records() { return kRecords; }

}  // namespace loupe::onnx
