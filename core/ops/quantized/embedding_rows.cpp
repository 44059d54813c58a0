// SPDX-License-Identifier: Apache-2.0
// Tables whose rows hold their own scale and offset behind their integers of 8, 4 or 2 bits: FBGEMM's fused rowwise
// quantisation. Those of 8 bits end in two floats, others in two numbers of float16; low bits come first.
#include "core/ops/quantized/embedding_rows.h"

#include <cstring>

#include "core/ops/quantized/family.h"
#include "core/ops/quantized/quantized.h"
#include "core/ops/quantized/row_range.h"

namespace loupe::quantized_ops {
namespace {

const OperatorHandle<std::tuple<Tensor, Tensor, Tensor, Tensor>> embedding_bag_of("aten::embedding_bag");
const OperatorHandle<> arange_of("aten::arange"), maximum_of("aten::clamp_min"), take_of("aten::take");

// How a row of Bits each is laid out.
template <std::int64_t Bits>
struct Row {
    static constexpr std::int64_t kPerByte = 8 / Bits;
    static constexpr std::int64_t kTail = Bits == 8 ? 8 : 4;  // bytes of scale and offset
    static constexpr int kMost = (1 << Bits) - 1;

    static std::int64_t bytes(std::int64_t columns) { return (columns + kPerByte - 1) / kPerByte + kTail; }
    static std::int64_t columns(std::int64_t bytes) { return (bytes - kTail) * kPerByte; }

    static void write(float scale, float offset, std::uint8_t* tail) {
        if constexpr (Bits == 8) {
            std::memcpy(tail, &scale, 4);
            std::memcpy(tail + 4, &offset, 4);
        } else {
            const Half parts[2] = {Half(scale), Half(offset)};
            std::memcpy(tail, parts, 4);
        }
    }
    static std::pair<float, float> read(const std::uint8_t* tail) {
        if constexpr (Bits == 8) {
            float parts[2];
            std::memcpy(parts, tail, 8);
            return {parts[0], parts[1]};
        } else {
            Half parts[2];
            std::memcpy(parts, tail, 4);
            return {static_cast<float>(parts[0]), static_cast<float>(parts[1])};
        }
    }
};

float rounded_to_half(float number) { return static_cast<float>(Half(number)); }

template <std::int64_t Bits>
void pack_row(const float* row, std::int64_t columns, float least, float most, std::uint8_t* to) {
    float scale = 0, inverse = 0;
    if constexpr (Bits == 8) {
        const float range = most - least;
        scale = range / 255.0F;
        inverse = 255.0F / (range + 1e-8F);
    } else {
        least = rounded_to_half(least);
        const float range = most - least;
        scale = rounded_to_half(range == 0 ? 1.0F : range / static_cast<float>(Row<Bits>::kMost));
        if (scale == 0) scale = 1.0F;
        inverse = 1.0F / scale;
        if (std::isinf(inverse)) scale = inverse = 1.0F;
    }
    std::uint8_t* const tail = to + Row<Bits>::bytes(columns) - Row<Bits>::kTail;
    std::fill(to, tail, std::uint8_t{0});
    for (std::int64_t i = 0; i < columns; ++i) {
        // NaN is 0: the comparison takes its first operand.
        const float steps = std::nearbyint((row[i] - least) * inverse);
        const auto q = static_cast<unsigned>(std::min(std::max(0.0F, steps), static_cast<float>(Row<Bits>::kMost)));
        to[i / Row<Bits>::kPerByte] |= static_cast<std::uint8_t>(q << (i % Row<Bits>::kPerByte * Bits));
    }
    Row<Bits>::write(scale, least, tail);
}

// weight: [..., columns]; limits: [rows, 2], or undefined. search: null: a row's own range.
template <std::int64_t Bits>
Tensor packed_rows(const Tensor& weight, const Tensor& limits, const RangeSearch* search = nullptr) {
    require(weight.dim() >= 1, "a table to be packed has rows");
    const Tensor x = fn::contiguous(fn::to_dtype(weight, number_of(ScalarType::Float32)), 0);
    const std::int64_t columns = x.size(-1), rows = columns == 0 ? 0 : x.numel() / columns;
    require(columns % Row<Bits>::kPerByte == 0, "FloatToFused", Bits,
            "BitRowwiseQuantized only works for the number of ", "columns a multiple of ", Row<Bits>::kPerByte);
    Tensor given;
    if (limits.defined()) {
        given = fn::contiguous(fn::to_dtype(limits, number_of(ScalarType::Float32)), 0);
        require(given.numel() == rows * 2, "rowwise_min_max has to have two numbers for each row");
    }
    Dims sizes = to_dims(x.sizes());
    sizes.back() = Row<Bits>::bytes(columns);
    const Tensor out = empty(span_of(sizes), ScalarType::UInt8);
    for (std::int64_t i = 0; i < rows; ++i) {
        const float* const row = x.data<float>() + i * columns;
        const std::span<const float> all(row, static_cast<std::size_t>(columns));
        std::pair<float, float> range;
        if (search != nullptr) {
            range = range_of_least_loss(all, *search);
        } else if (given.defined()) {
            range = {given.data<float>()[2 * i], given.data<float>()[2 * i + 1]};
        } else {
            const auto [least, most] = std::minmax_element(row, row + columns);
            range = {*least, *most};
        }
        pack_row<Bits>(row, columns, range.first, range.second, out.data<std::uint8_t>() + i * sizes.back());
    }
    return out;
}
Tensor pack_bytes(const Tensor& weight) { return packed_rows<8>(weight, {}); }
Tensor pack_bytes_within(const Tensor& weight, const Tensor& limits) { return packed_rows<8>(weight, limits); }
template <std::int64_t Bits>
Tensor pack_bits(const Tensor& weight, bool is_optimized, std::int64_t bins, double ratio) {
    const RangeSearch search{bins, ratio, Bits};
    return packed_rows<Bits>(weight, {}, is_optimized ? &search : nullptr);
}
template <std::int64_t Bits>
Tensor pack_bits_within(const Tensor& weight, const Tensor& limits, bool is_optimized, std::int64_t bins,
                        double ratio) {
    const RangeSearch search{bins, ratio, Bits};
    return packed_rows<Bits>(weight, limits, is_optimized ? &search : nullptr);
}

template <std::int64_t Bits>
void unpack_row(const std::uint8_t* row, std::int64_t columns, float* to) {
    const auto [scale, offset] = Row<Bits>::read(row + Row<Bits>::bytes(columns) - Row<Bits>::kTail);
    for (std::int64_t i = 0; i < columns; ++i) {
        const int q = row[i / Row<Bits>::kPerByte] >> (i % Row<Bits>::kPerByte * Bits) & Row<Bits>::kMost;
        to[i] = scale * static_cast<float>(q) + offset;
    }
}
template <std::int64_t Bits>
const Tensor& checked_table(const Tensor& table) {
    require(table.dtype() == ScalarType::UInt8 && !table.is_sparse() && table.dim() >= 1 &&
                table.size(-1) >= Row<Bits>::kTail,
            "a packed table is of uint8, each row with its scale and offset behind it");
    return table;
}

template <std::int64_t Bits>
Tensor unpack(const Tensor& packed) {
    const Tensor table = fn::contiguous(checked_table<Bits>(packed), 0);
    Dims sizes = to_dims(table.sizes());
    const std::int64_t width = sizes.back(), columns = Row<Bits>::columns(width);
    sizes.back() = columns;
    const Tensor out = empty(span_of(sizes), ScalarType::Float32);
    for (std::int64_t i = 0; i < table.numel() / width; ++i)
        unpack_row<Bits>(table.data<std::uint8_t>() + i * width, columns, out.data<float>() + i * columns);
    return out;
}

template <std::int64_t Bits>
Tensor bags(const Tensor& packed, const Tensor& indices, const Tensor& offsets, bool, std::int64_t mode, bool is_pruned,
            const Tensor& sample_weights, const Tensor& mapping, bool includes_last) {
    const Tensor table = fn::contiguous(checked_table<Bits>(packed), 0);
    require(table.dim() == 2, "a packed table has two dimensions, got ", table.dim());
    const std::int64_t rows = table.size(0), width = table.size(1), columns = Row<Bits>::columns(width);
    const auto rows_at = [&](const Tensor& places) {
        const Tensor flat = fn::contiguous(places, 0);
        const Tensor out = empty(span_of(Dims{flat.numel(), columns}), ScalarType::Float32);
        for (std::int64_t i = 0; i < flat.numel(); ++i) {
            const std::int64_t row = flat.data<std::int64_t>()[i];
            require(row >= 0 && row < rows, "index out of range in self");
            unpack_row<Bits>(table.data<std::uint8_t>() + row * width, columns, out.data<float>() + i * columns);
        }
        return out;
    };
    return bags_of_rows(rows_at,
                        {indices, offsets, sample_weights, is_pruned ? mapping : Tensor(), mode, includes_last});
}

constexpr OperatorRecord call(std::string_view schema, std::string_view summary, KernelFunction kernel) {
    return {.schema = schema, .summary = summary, .kernel = kernel, .is_gradient_stop = true};
}

constexpr std::string_view kPack = "A table whose rows are rounded to a few bits, each with its scale and offset.";
constexpr std::string_view kPackWithin = "The same, for rows between these least and greatest numbers.";
constexpr std::string_view kUnpack = "The numbers of a table of rounded rows.";
constexpr std::string_view kBags = "Sums of rows of a table of rounded rows.";

#define LOUPE_BITS(BITS)                                                                                        \
    call("quantized::embedding_bag_" #BITS                                                                      \
         "bit_prepack(Tensor weight, bool optimized_qparams=False, int nbins=200, float ratio=0.16) -> Tensor", \
         kPack, boxed<pack_bits<BITS>>),                                                                        \
        call("quantized::embedding_bag_" #BITS                                                                  \
             "bit_prepack_with_rowwise_min_max(Tensor weight, Tensor rowwise_min_max, bool "                    \
             "optimized_qparams=False, int nbins=200, float ratio=0.16) -> Tensor",                             \
             kPackWithin, boxed<pack_bits_within<BITS>>),                                                       \
        call("quantized::embedding_bag_" #BITS "bit_unpack(Tensor weight) -> Tensor", kUnpack, boxed<unpack<BITS>>)
#define LOUPE_ROWWISE(NAME, BITS)                                                                                    \
    call("quantized::embedding_bag_" NAME                                                                            \
         "_rowwise_offsets(Tensor weight, Tensor indices, Tensor? offsets=None, bool scale_grad_by_freq=False, int " \
         "mode=0, bool pruned_weights=False, Tensor? per_sample_weights=None, Tensor? "                              \
         "compressed_indices_mapping=None, "                                                                         \
         "bool include_last_offset=False) -> Tensor",                                                                \
         kBags, boxed<bags<BITS>>)

constexpr OperatorRecord kRecords[] = {
    call("quantized::embedding_bag_byte_prepack(Tensor weight) -> Tensor", kPack, boxed<pack_bytes>),
    call("quantized::embedding_bag_byte_prepack_with_rowwise_min_max(Tensor weight, Tensor rowwise_min_max) -> Tensor",
         kPackWithin, boxed<pack_bytes_within>),
    call("quantized::embedding_bag_byte_unpack(Tensor weight) -> Tensor", kUnpack, boxed<unpack<8>>),
    LOUPE_BITS(4),
    LOUPE_BITS(2),
    LOUPE_ROWWISE("byte", 8),
    LOUPE_ROWWISE("4bit", 4),
    LOUPE_ROWWISE("2bit", 2),
};

}  // namespace

Tensor bags_of_rows(const std::function<Tensor(const Tensor& indices)>& rows_at, const Bags& bags) {
    const Tensor& indices = bags.indices;
    require(indices.dim() == 1 || indices.dim() == 2, "qembedding/qembedding_bag operator supports 1 or 2d indices, ",
            "got ", indices.dim());
    require(indices.dim() == 2 || bags.offsets.defined(),
            "embedding_bag operator expects offsets to be set for 1D indices.");
    const std::int64_t count = indices.numel(), long_number = number_of(ScalarType::Int64);
    Tensor places = fn::reshape(fn::to_dtype(indices, long_number), Dims{count});
    Tensor weights = bags.sample_weights;
    if (weights.defined()) weights = fn::reshape(fn::to_dtype(weights, number_of(ScalarType::Float32)), Dims{count});
    // A mapping of one zero stands for none.
    const Tensor& mapping = bags.mapping;
    if (mapping.defined() && !(mapping.numel() == 1 && item(mapping).to_int() == 0)) {
        places = take_of(fn::to_dtype(mapping, long_number), places);
        const Tensor is_there = fn::to_dtype(fn::ge_scalar(places, Scalar(0)), number_of(ScalarType::Float32));
        weights = weights.defined() ? fn::mul(weights, is_there) : is_there;
        places = maximum_of(places, Scalar(0));
    }
    const Tensor rows = rows_at(places);
    const Tensor starts =
        indices.dim() == 1 ? fn::to_dtype(bags.offsets, long_number)
                           : fn::mul_scalar(arange_of(Scalar(indices.size(0)), long_number), Scalar(indices.size(1)));
    return std::get<0>(embedding_bag_of(rows, arange_of(Scalar(count), long_number), starts, false, bags.mode, false,
                                        weights.defined() ? IValue(weights) : IValue(),
                                        bags.includes_last && indices.dim() == 1));
}

std::span<const OperatorRecord> embedding_row_records() { return kRecords; }

}  // namespace loupe::quantized_ops
