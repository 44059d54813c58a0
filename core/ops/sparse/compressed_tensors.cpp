// SPDX-License-Identifier: Apache-2.0
// The operators that make compressed sparse tensors, convert between layouts, and give their parts.

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/ops/sparse/compressed.h"
#include "core/ops/sparse/family.h"
#include "core/ops/sparse/sparse.h"

namespace loupe {
namespace {

[[noreturn]] void fail(std::string message) { throw Error(ErrorKind::Run, std::move(message)); }

Tensor cast(const Tensor& t, std::optional<ScalarType> dtype) {
    return dtype ? fn::to_dtype(t, static_cast<std::int64_t>(*dtype)) : t;
}

Tensor make(CompressedLayout layout, const Tensor& compressed, const Tensor& plain, const Tensor& values,
            const Dims& size, std::optional<ScalarType> dtype) {
    return make_compressed(layout, fn::contiguous(compressed, 0), fn::contiguous(plain, 0), cast(values, dtype),
                           span_of(size));
}

// As PyTorch estimates them: as many as the indices and values need.
Dims estimated_size(CompressedLayout layout, const Tensor& compressed, const Tensor& plain, const Tensor& values) {
    const CompressedParts parts(layout, compressed, plain, values);
    if (compressed.dim() == 0 || parts.dense_dim() < 0) fail("compressed sparse tensor: indices and values do not fit");
    const std::int64_t count = compressed.size(-1) - 1;
    const std::int64_t most = plain.numel() == 0 ? 0 : item(fn::amax(plain, Dims{}, false)).to_int() + 1;
    const std::int64_t rows = compresses_rows(layout) ? count : most, columns = compresses_rows(layout) ? most : count;
    Dims size(compressed.sizes().begin(), compressed.sizes().end() - 1);
    size.push_back(rows * parts.block(0));
    size.push_back(columns * parts.block(1));
    const IntSpan dense = values.sizes().last(static_cast<std::size_t>(parts.dense_dim()));
    size.insert(size.end(), dense.begin(), dense.end());
    return size;
}

CompressedLayout layout_of(std::optional<std::int64_t> number) {
    const auto layout = number ? compressed_layout(*number) : std::nullopt;
    if (!layout) fail("sparse_compressed_tensor expected sparse compressed tensor layout but got none");
    return *layout;
}

Tensor any_with_size(const Tensor& compressed, const Tensor& plain, const Tensor& values, const Dims& size,
                     std::optional<ScalarType> dtype, std::optional<std::int64_t> layout, const IValue&,
                     const IValue&) {
    return make(layout_of(layout), compressed, plain, values, size, dtype);
}
Tensor any_without_size(const Tensor& compressed, const Tensor& plain, const Tensor& values,
                        std::optional<ScalarType> dtype, std::optional<std::int64_t> layout, const IValue&,
                        const IValue&) {
    const CompressedLayout known = layout_of(layout);
    return make(known, compressed, plain, values, estimated_size(known, compressed, plain, values), dtype);
}
template <CompressedLayout kLayout>
Tensor with_size(const Tensor& compressed, const Tensor& plain, const Tensor& values, const Dims& size,
                 std::optional<ScalarType> dtype, const IValue&, const IValue&, const IValue&) {
    return make(kLayout, compressed, plain, values, size, dtype);
}
template <CompressedLayout kLayout>
Tensor without_size(const Tensor& compressed, const Tensor& plain, const Tensor& values,
                    std::optional<ScalarType> dtype, const IValue&, const IValue&, const IValue&) {
    return make(kLayout, compressed, plain, values, estimated_size(kLayout, compressed, plain, values), dtype);
}

const CompressedParts& parts_of(const Tensor& t, bool by_rows, const char* name) {
    if (!is_compressed(t) || compresses_rows(compressed_parts(t).layout) != by_rows) {
        fail(concat(name, " expected sparse ", by_rows ? "row" : "column", " compressed tensor layout but got ",
                    is_compressed(t)   ? layout_message_name(compressed_parts(t).layout)
                    : is_coordinate(t) ? std::string_view("Sparse")
                                       : std::string_view("Strided")));
    }
    return compressed_parts(t);
}
Tensor crow_indices(const Tensor& t) { return fn::detach(parts_of(t, true, "crow_indices").compressed); }
Tensor col_indices(const Tensor& t) { return fn::detach(parts_of(t, true, "col_indices").plain); }
Tensor ccol_indices(const Tensor& t) { return fn::detach(parts_of(t, false, "ccol_indices").compressed); }
Tensor row_indices(const Tensor& t) { return fn::detach(parts_of(t, false, "row_indices").plain); }

template <CompressedLayout kLayout>
Tensor to_plain(const Tensor& t, std::optional<std::int64_t> dense_dim) {
    return to_compressed(t, kLayout, {}, dense_dim.value_or(0));
}
template <CompressedLayout kLayout>
Tensor to_blocks(const Tensor& t, const Dims& block, std::optional<std::int64_t> dense_dim) {
    return to_compressed(t, kLayout, block, dense_dim.value_or(0));
}

Tensor sampled_addmm(const Tensor& self, const Tensor& a, const Tensor& b, const Scalar& beta, const Scalar& alpha) {
    if (!is_compressed(self) || compressed_parts(self).layout != CompressedLayout::Csr)
        fail("sampled_addmm: Expected self to be a sparse CSR tensor");
    if (a.dim() != 2 || b.dim() != 2 || a.size(1) != b.size(0) || a.size(0) != self.size(0) ||
        b.size(1) != self.size(1))
        fail("sampled_addmm: Expected the matrices' sizes to fit those of self");
    const Tensor product = fn::reshape(fn::mm(a, b), Dims{-1});
    const Tensor chosen = fn::index_select(product, 0, element_places(self));
    const Tensor values = fn::add(fn::mul_scalar(element_values(self), beta), chosen, alpha);
    return with_compressed_values(self, values);
}

constexpr OperatorRecord about(std::string_view schema, std::string_view summary, KernelFunction composite) {
    return {.schema = schema, .summary = summary, .composite = composite, .sparse = {.as_is = true}};
}

constexpr std::string_view kMakes = "The sparse tensor with these values at these compressed indices.";

constexpr OperatorRecord kRecords[] = {
    about(
        "aten::sparse_compressed_tensor.comp_plain_value_size(Tensor compressed_indices, Tensor plain_indices, Tensor "
        "values, int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
        "pin_memory=False) -> Tensor",
        kMakes, boxed<any_with_size>),
    about("aten::sparse_compressed_tensor.comp_plain_value(Tensor compressed_indices, Tensor plain_indices, Tensor "
          "values, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False) -> "
          "Tensor",
          kMakes, boxed<any_without_size>),
    about(
        "aten::_sparse_compressed_tensor_unsafe(Tensor compressed_indices, Tensor plain_indices, Tensor values, int[] "
        "size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
        kMakes, boxed<any_with_size>),
    about(
        "aten::sparse_csr_tensor.crow_col_value_size(Tensor crow_indices, Tensor col_indices, Tensor values, int[] "
        "size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor",
        kMakes, boxed<with_size<CompressedLayout::Csr>>),
    about("aten::sparse_csr_tensor.crow_col_value(Tensor crow_indices, Tensor col_indices, Tensor values, *, "
          "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor",
          kMakes, boxed<without_size<CompressedLayout::Csr>>),
    about("aten::_sparse_csr_tensor_unsafe(Tensor crow_indices, Tensor col_indices, Tensor values, int[] size, *, "
          "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
          kMakes, boxed<with_size<CompressedLayout::Csr>>),
    about(
        "aten::sparse_csc_tensor.ccol_row_value_size(Tensor ccol_indices, Tensor row_indices, Tensor values, int[] "
        "size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor",
        kMakes, boxed<with_size<CompressedLayout::Csc>>),
    about("aten::sparse_csc_tensor.ccol_row_value(Tensor ccol_indices, Tensor row_indices, Tensor values, *, "
          "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor",
          kMakes, boxed<without_size<CompressedLayout::Csc>>),
    about("aten::_sparse_csc_tensor_unsafe(Tensor ccol_indices, Tensor row_indices, Tensor values, int[] size, *, "
          "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
          kMakes, boxed<with_size<CompressedLayout::Csc>>),
    about(
        "aten::sparse_bsr_tensor.crow_col_value_size(Tensor crow_indices, Tensor col_indices, Tensor values, int[] "
        "size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor",
        kMakes, boxed<with_size<CompressedLayout::Bsr>>),
    about("aten::sparse_bsr_tensor.crow_col_value(Tensor crow_indices, Tensor col_indices, Tensor values, *, "
          "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor",
          kMakes, boxed<without_size<CompressedLayout::Bsr>>),
    about("aten::_sparse_bsr_tensor_unsafe(Tensor crow_indices, Tensor col_indices, Tensor values, int[] size, *, "
          "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
          kMakes, boxed<with_size<CompressedLayout::Bsr>>),
    about(
        "aten::sparse_bsc_tensor.ccol_row_value_size(Tensor ccol_indices, Tensor row_indices, Tensor values, int[] "
        "size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor",
        kMakes, boxed<with_size<CompressedLayout::Bsc>>),
    about("aten::sparse_bsc_tensor.ccol_row_value(Tensor ccol_indices, Tensor row_indices, Tensor values, *, "
          "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor",
          kMakes, boxed<without_size<CompressedLayout::Bsc>>),
    about("aten::_sparse_bsc_tensor_unsafe(Tensor ccol_indices, Tensor row_indices, Tensor values, int[] size, *, "
          "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
          kMakes, boxed<with_size<CompressedLayout::Bsc>>),
    about("aten::crow_indices(Tensor(a) self) -> Tensor(a)", "Where each row's entries begin.", boxed<crow_indices>),
    about("aten::col_indices(Tensor(a) self) -> Tensor(a)", "The column of each entry.", boxed<col_indices>),
    about("aten::ccol_indices(Tensor(a) self) -> Tensor(a)", "Where each column's entries begin.", boxed<ccol_indices>),
    about("aten::row_indices(Tensor(a) self) -> Tensor(a)", "The row of each entry.", boxed<row_indices>),
    about("aten::to_sparse_csr(Tensor self, int? dense_dim=None) -> Tensor", "The elements that are not zero, by rows.",
          boxed<to_plain<CompressedLayout::Csr>>),
    about("aten::to_sparse_csc(Tensor self, int? dense_dim=None) -> Tensor",
          "The elements that are not zero, by columns.", boxed<to_plain<CompressedLayout::Csc>>),
    about("aten::to_sparse_bsr(Tensor self, int[2] blocksize, int? dense_dim=None) -> Tensor",
          "The blocks that are not all zero, by rows.", boxed<to_blocks<CompressedLayout::Bsr>>),
    about("aten::to_sparse_bsc(Tensor self, int[2] blocksize, int? dense_dim=None) -> Tensor",
          "The blocks that are not all zero, by columns.", boxed<to_blocks<CompressedLayout::Bsc>>),
    about("aten::sparse_sampled_addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> "
          "Tensor",
          "The product's elements where self has entries, added to them.", boxed<sampled_addmm>)
        .with_formula("beta self + alpha (mat1 mat2) where self has entries"),
};

}  // namespace

std::span<const OperatorRecord> sparse_ops::compressed_records() { return kRecords; }

}  // namespace loupe
