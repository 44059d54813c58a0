// SPDX-License-Identifier: Apache-2.0
// Embeddings of packed tables of 8 and 4 bits: rows are widened as they are looked up.

#include "core/ops/quantized/embedding_rows.h"
#include "core/ops/quantized/family.h"
#include "core/ops/quantized/products.h"

namespace loupe::quantized_ops {
namespace {

IValue prepack(const Tensor& weight) { return pack_embedding(weight); }
const PackedEmbedding& packed_of(const IValue& value) {
    return packed_as<PackedEmbedding>(value, "quantized.EmbeddingPackedParamsBase");
}
Tensor unpack(const IValue& value) { return packed_of(value).weight; }

// indices: [L]. float32 [L, columns]: q scale - zero_point scale.
Tensor rows_at(const PackedEmbedding& packed, const Tensor& indices) {
    const QuantizedParts& parts = quantized_parts(packed.weight);
    const auto narrow = [](const Tensor& t) { return fn::to_dtype(t, number_of(ScalarType::Float32)); };
    Tensor scales = fn::index_select(narrow(parts.scales), 0, indices);
    const Tensor points = fn::index_select(narrow(parts.zero_points), 0, indices);
    Tensor offsets = fn::neg(fn::mul(points, scales));
    if (packed.bit_rate == 4) {  // rows of 4 bits keep both in 16 bits
        const auto rounded = [&](const Tensor& t) { return narrow(fn::to_dtype(t, number_of(ScalarType::Float16))); };
        scales = rounded(scales);
        offsets = rounded(offsets);
    }
    const Tensor integers = narrow(fn::index_select(parts.integers, 0, indices));
    return fn::add(fn::mul(integers, fn::unsqueeze(scales, 1)), fn::unsqueeze(offsets, 1), Scalar(1));
}

template <std::int64_t Bits>
const PackedEmbedding& table_of(const IValue& value) {
    const PackedEmbedding& packed = packed_of(value);
    require(packed.bit_rate == Bits, "the packed weight has ", packed.bit_rate, " bits, not ", Bits);
    return packed;
}

template <std::int64_t Bits>
Tensor embedding_bag(const IValue& value, const Tensor& indices, const Tensor& offsets, bool, std::int64_t mode,
                     bool is_pruned, const Tensor& sample_weights, const Tensor& mapping, bool includes_last) {
    const PackedEmbedding& packed = table_of<Bits>(value);
    return bags_of_rows([&](const Tensor& places) { return rows_at(packed, places); },
                        {indices, offsets, sample_weights, is_pruned ? mapping : Tensor(), mode, includes_last});
}

template <std::int64_t Bits>
Tensor embedding(const IValue& value, const Tensor& indices, bool) {
    const PackedEmbedding& packed = table_of<Bits>(value);
    const Tensor flat = fn::reshape(fn::to_dtype(indices, number_of(ScalarType::Int64)), Dims{indices.numel()});
    Dims sizes = to_dims(indices.sizes());
    sizes.push_back(packed.weight.size(1));
    return fn::reshape(rows_at(packed, flat), sizes);
}

constexpr OperatorRecord call(std::string_view schema, std::string_view summary, KernelFunction kernel) {
    return {.schema = schema, .summary = summary, .kernel = kernel, .is_gradient_stop = true};
}

constexpr std::string_view kBag = "Sums or means of rows of a packed table.";
constexpr std::string_view kRows = "Rows of a packed table.";

#define LOUPE_EMBEDDING "__torch__.torch.classes.quantized.EmbeddingPackedParamsBase"
#define LOUPE_BAG(NAME, BITS)                                                                                    \
    call("quantized::" NAME "(" LOUPE_EMBEDDING                                                                  \
         " weight, Tensor indices, Tensor? offsets=None, bool scale_grad_by_freq=False, int mode=0, bool "       \
         "pruned_weights=False, Tensor? per_sample_weights=None, Tensor? compressed_indices_mapping=None, bool " \
         "include_last_offset=False) -> Tensor",                                                                 \
         kBag, boxed<embedding_bag<BITS>>)

constexpr OperatorRecord kRecords[] = {
    call("quantized::embedding_bag_prepack(Tensor weight) -> " LOUPE_EMBEDDING " W_prepack",
         "A table of quint8 or quint4x2 as one object.", boxed<prepack>),
    call("quantized::embedding_bag_unpack(" LOUPE_EMBEDDING " W_prepack) -> Tensor W_origin", "A packed table.",
         boxed<unpack>),
    LOUPE_BAG("embedding_bag_byte", 8),
    LOUPE_BAG("embedding_bag_4bit", 4),
    call("quantized::embedding_byte(" LOUPE_EMBEDDING " weight, Tensor indices, bool pruned_weights=False) -> Tensor",
         kRows, boxed<embedding<8>>),
    call("quantized::embedding_4bit(" LOUPE_EMBEDDING " weight, Tensor indices, bool pruned_weights=False) -> Tensor",
         kRows, boxed<embedding<4>>),
};

}  // namespace

std::span<const OperatorRecord> embedding_records() { return kRecords; }

}  // namespace loupe::quantized_ops
