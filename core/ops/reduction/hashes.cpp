// SPDX-License-Identifier: Apache-2.0
// hash_tensor: elements folded into 64 bits.

#include <bit>

#include "core/dispatch/functions.h"
#include "core/kernels/reduce.h"
#include "core/ops/reduction/family.h"
#include "core/ops/reduction/kernels.h"
#include "core/ops/reduction/reduction.h"

namespace loupe::reduction {
namespace {

void begin(void* states, std::int64_t n) { std::fill_n(static_cast<std::uint64_t*>(states), n, std::uint64_t{0}); }
// The bits of an element as float64 or int64.
template <typename T>
void fold(void* state, const void* elements, std::int64_t n, std::int64_t, const void*) {
    auto& hash = *static_cast<std::uint64_t*>(state);
    const auto* from = static_cast<const T*>(elements);
    for (std::int64_t i = 0; i < n; ++i) hash ^= std::bit_cast<std::uint64_t>(from[i]);
}
template <typename T>
void fold_rows(void* states, const Rows& rows, std::int64_t n, std::int64_t, const void*) {
    auto* hashes = static_cast<std::uint64_t*>(states);
    for (std::int64_t r = 0; r < rows.count; ++r) {
        const T* from = rows.row<T>(r);
        for (std::int64_t i = 0; i < n; ++i) hashes[i] ^= std::bit_cast<std::uint64_t>(from[i]);
    }
}
void merge(void* states, const void* others, std::int64_t n) {
    auto* hashes = static_cast<std::uint64_t*>(states);
    const auto* more = static_cast<const std::uint64_t*>(others);
    for (std::int64_t i = 0; i < n; ++i) hashes[i] ^= more[i];
}
void finish(const void* states, std::int64_t n, std::int64_t, const void*, void* const* outputs) {
    std::copy_n(static_cast<const std::uint64_t*>(states), n, static_cast<std::uint64_t*>(outputs[0]));
}

template <typename T>
constexpr Reduction kExclusiveOr{.as = scalar_type_of<T>,
                                 .outputs = 1,
                                 .output_as = {ScalarType::UInt64},
                                 .state_size = sizeof(std::uint64_t),
                                 .begin = begin,
                                 .fold = fold<T>,
                                 .fold_rows = fold_rows<T>,
                                 .merge = merge,
                                 .finish = finish};

TensorMeta infer(const Tensor& self, const IValue& dim, bool keepdim, std::int64_t mode) {
    require(mode == 0, "Unknown hash_tensor mode: ", mode);
    const Reduced reduced(self.dim(), dim);
    if (self.numel() == 0) {
        require(!reduced.is_all(),
                "hash_tensor: Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim "
                "with the 'dim' argument.");
        for (const std::int64_t d : reduced.dims())
            require(self.size(d) != 0, "hash_tensor: Expected reduction dim ", d, " to have non-zero size.");
    }
    require(!is_complex(self.dtype()), "\"xor_sum_cpu\" not implemented for '", dtype_graph_name(self.dtype()), "'");
    return reduced_meta(self, dim, keepdim, ScalarType::UInt64);
}

void hash_tensor(const Tensor& out, const Tensor& self, const IValue& dim, bool, std::int64_t) {
    run(hash_kernel(is_floating(self.dtype()) ? ScalarType::Float64 : ScalarType::Int64), self, dim,
        std::span(&out, 1));
}

std::vector<Sample> samples(Random& random, ScalarType dtype) {
    if (is_complex(dtype)) return {};
    std::vector<Sample> samples = dim_list_samples(random, dtype);
    for (Sample& sample : samples) sample.arguments.emplace_back(0);
    return samples;
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::hash_tensor(Tensor self, int[1] dim=[], *, bool keepdim=False, int mode=0) -> Tensor",
     .summary = "The bits of the elements, as float64 or int64, joined by exclusive or.",
     .formula = "bits(x_1) xor bits(x_2) xor \u2026",
     .infer = inferring<infer>,
     .kernel = filling<hash_tensor>,
     .samples = samples,
     .variants = kOut,
     .out = {.refusal = {"Expected result to be of dtype uint64, but got {O}"}},
     .is_gradient_stop = true,
     .dtypes = {kCommonDtypes | dtype_bit(ScalarType::UInt64), "xor_sum_cpu"}},
};

}  // namespace

std::span<const OperatorRecord> hash_records() { return kRecords; }

}  // namespace loupe::reduction

namespace loupe {

const Reduction* hash_kernel(ScalarType as) {
    return as == ScalarType::Float64 ? &reduction::kExclusiveOr<double> : &reduction::kExclusiveOr<std::int64_t>;
}

}  // namespace loupe
