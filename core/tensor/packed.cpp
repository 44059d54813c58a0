// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/packed.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/tensor/ggml_blocks.h"

namespace loupe {
namespace {

[[noreturn]] void refuse(std::string message) { throw Error(ErrorKind::Run, std::move(message)); }

void check_order(const std::vector<std::int32_t>& order, std::int64_t rows) {
    if (order.empty()) return;
    if (std::ssize(order) != rows) refuse(concat("an order of ", order.size(), " for ", rows, " packed rows"));
    std::vector<bool> seen(order.size());
    for (const std::int32_t row : order) {
        if (row < 0 || row >= rows || seen[static_cast<std::size_t>(row)])
            refuse("an order names no row, or one twice");
        seen[static_cast<std::size_t>(row)] = true;
    }
}

}  // namespace

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

Tensor PackedParts::unpacked_rows(std::int64_t first, std::int64_t step, std::int64_t count) const {
    const Dims sizes{count, columns()};
    const Tensor out = empty(span_of(sizes), ScalarType::Float32);
    const auto* const from = bytes.data<std::uint8_t>();
    for (std::int64_t i = 0; i < count; ++i)
        dequantize_blocks(*type, from + stored_row(first + i * step) * bytes.size(1), columns(),
                          out.data<float>() + i * columns());
    return out;
}

Tensor PackedParts::elements() const {
    const Tensor out = unpacked_rows(0, 1, rows());
    if (!is_transposed) return out;
    const Dims turned{columns(), rows()}, strides{1, columns()};
    return out.view_as_strided(span_of(turned), span_of(strides), 0);
}

Tensor unpacked(const Tensor& t) { return packed_parts(t).elements(); }

Tensor UnpackedOnce::operator()(const Tensor& t) {
    if (!is_packed(t)) return t;
    Tensor& numbers = numbers_[t.impl()->sparse.get()];
    if (!numbers.defined()) numbers = unpacked(t);
    return numbers;
}

Tensor packed_alias(const Tensor& t) { return make_with_parts(t.impl()->sparse, t.sizes(), t.dtype()); }

Tensor packed_rows(const Tensor& t, std::span<const std::int64_t> rows) {
    const PackedParts& parts = packed_parts(t);
    if (parts.is_transposed) refuse("rows of a transposed matrix of packed weights");
    std::vector<std::int64_t> stored;
    bool is_run = true;
    for (const std::int64_t row : rows) {
        if (row < 0 || row >= parts.rows()) refuse("index out of range in self");
        stored.push_back(parts.stored_row(row));
        is_run = is_run && stored.back() == stored.front() + std::ssize(stored) - 1;
    }
    const std::int64_t width = parts.bytes.size(1);
    const Dims sizes{std::ssize(stored), width}, strides{width, 1};
    if (is_run) {
        const std::int64_t first = stored.empty() ? 0 : stored.front() * width;
        return make_packed(*parts.type, parts.bytes.view_as_strided(span_of(sizes), span_of(strides),
                                                                    parts.bytes.storage_offset() + first));
    }
    const Tensor bytes = empty(span_of(sizes), ScalarType::UInt8);
    for (std::size_t i = 0; i < stored.size(); ++i)
        std::copy_n(parts.bytes.data<std::uint8_t>() + stored[i] * width, width,
                    bytes.data<std::uint8_t>() + static_cast<std::int64_t>(i) * width);
    return make_packed(*parts.type, bytes);
}

Tensor packed_transpose(const Tensor& t) {
    const PackedParts& parts = packed_parts(t);
    auto turned = std::make_shared<PackedParts>(*parts.type, parts.bytes, parts.row_order);
    turned->is_transposed = !parts.is_transposed;
    const Dims sizes{t.size(1), t.size(0)};
    return make_with_parts(std::move(turned), span_of(sizes), t.dtype());
}

}  // namespace loupe
