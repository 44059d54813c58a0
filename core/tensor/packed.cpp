// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/packed.h"

#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/tensor/ggml_blocks.h"

namespace loupe {
namespace {

constexpr std::array kTypes{
    GgmlType{0, "F32", 1, 4},        GgmlType{1, "F16", 1, 2},        GgmlType{2, "Q4_0", 32, 18},
    GgmlType{3, "Q4_1", 32, 20},     GgmlType{6, "Q5_0", 32, 22},     GgmlType{7, "Q5_1", 32, 24},
    GgmlType{8, "Q8_0", 32, 34},     GgmlType{9, "Q8_1", 32, 36},     GgmlType{10, "Q2_K", 256, 84},
    GgmlType{11, "Q3_K", 256, 110},  GgmlType{12, "Q4_K", 256, 144},  GgmlType{13, "Q5_K", 256, 176},
    GgmlType{14, "Q6_K", 256, 210},  GgmlType{15, "Q8_K", 256, 292},  GgmlType{16, "IQ2_XXS", 256, 66},
    GgmlType{17, "IQ2_XS", 256, 74}, GgmlType{18, "IQ3_XXS", 256, 98}, GgmlType{19, "IQ1_S", 256, 50},
    GgmlType{20, "IQ4_NL", 32, 18},  GgmlType{21, "IQ3_S", 256, 110}, GgmlType{22, "IQ2_S", 256, 82},
    GgmlType{23, "IQ4_XS", 256, 136}, GgmlType{24, "I8", 1, 1},       GgmlType{25, "I16", 1, 2},
    GgmlType{26, "I32", 1, 4},       GgmlType{27, "I64", 1, 8},       GgmlType{28, "F64", 1, 8},
    GgmlType{29, "IQ1_M", 256, 56},  GgmlType{30, "BF16", 1, 2},      GgmlType{34, "TQ1_0", 256, 54},
    GgmlType{35, "TQ2_0", 256, 66},  GgmlType{39, "MXFP4", 32, 17},
};

[[noreturn]] void refuse(std::string message) { throw Error(ErrorKind::Run, std::move(message)); }

void check_order(const std::vector<std::int32_t>& order, std::int64_t rows) {
    if (order.empty()) return;
    if (std::ssize(order) != rows) refuse(concat("an order of ", order.size(), " for ", rows, " packed rows"));
    std::vector<bool> seen(order.size());
    for (const std::int32_t row : order) {
        if (row < 0 || row >= rows || seen[static_cast<std::size_t>(row)]) refuse("an order names no row, or one twice");
        seen[static_cast<std::size_t>(row)] = true;
    }
}

}  // namespace

const GgmlType* ggml_type(std::uint32_t number) {
    const auto* const found = std::ranges::find(kTypes, number, &GgmlType::number);
    return found == kTypes.end() ? nullptr : found;
}

const PackedParts& packed_parts(const Tensor& t) {
    if (!is_packed(t)) refuse("expected a tensor of packed weights");
    return static_cast<const PackedParts&>(*t.impl()->sparse);
}

Tensor make_packed(const GgmlType& type, const Tensor& bytes, std::vector<std::int32_t> row_order) {
    if (bytes.dim() != 2 || bytes.dtype() != ScalarType::UInt8 || !bytes.is_contiguous())
        refuse(concat("packed weights are rows of bytes, not ", describe(bytes)));
    if (bytes.size(1) % type.bytes != 0)
        refuse(concat(bytes.size(1), " bytes a row are no whole blocks of ", type.name));
    check_order(row_order, bytes.size(0));
    auto parts = std::make_shared<const PackedParts>(type, bytes, std::move(row_order));
    const Dims sizes{parts->rows(), parts->columns()};
    return make_with_parts(std::move(parts), span_of(sizes), ScalarType::Float32);
}

Tensor unpacked(const Tensor& t) {
    const PackedParts& parts = packed_parts(t);
    const Dims sizes{parts.rows(), parts.columns()};
    const Tensor out = empty(span_of(sizes), ScalarType::Float32);
    const auto* const from = parts.bytes.data<std::uint8_t>();
    for (std::int64_t i = 0; i < parts.rows(); ++i)
        dequantize_blocks(*parts.type, from + parts.stored_row(i) * parts.bytes.size(1), parts.columns(),
                          out.data<float>() + i * parts.columns());
    if (!parts.is_transposed) return out;
    const Dims turned{parts.columns(), parts.rows()}, strides{1, parts.columns()};
    return out.view_as_strided(span_of(turned), span_of(strides), 0);
}

Tensor packed_alias(const Tensor& t) {
    return make_with_parts(t.impl()->sparse, t.sizes(), t.dtype());
}

Tensor packed_transpose(const Tensor& t) {
    const PackedParts& parts = packed_parts(t);
    auto turned = std::make_shared<PackedParts>(*parts.type, parts.bytes, parts.row_order);
    turned->is_transposed = !parts.is_transposed;
    const Dims sizes{t.size(1), t.size(0)};
    return make_with_parts(std::move(turned), span_of(sizes), t.dtype());
}

}  // namespace loupe
