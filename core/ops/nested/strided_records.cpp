// SPDX-License-Identifier: Apache-2.0
// The operators that make nested tensors of the strided layout and give their parts.

#include <algorithm>

#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/ops/nested/family.h"
#include "core/ops/nested/padding.h"
#include "core/ops/nested/strided.h"
#include "core/tensor/copy_elements.h"

namespace loupe {
namespace {

using namespace nested_ops;

const OperatorHandle<> kToDevice{"aten::to.dtype_layout"}, kReshape{"aten::reshape"}, kPermute{"aten::permute"};

const NestedParts& parts_of(const Tensor& t) {
    if (!is_strided_nested(t)) fail("get_nested_tensor_impl requires a NestedTensor.");
    return nested_parts(t);
}

// numbers: int64 [rows] or [rows, columns].
Dims numbers_of(const Tensor& t, std::string_view what) {
    if (!t.defined() || t.is_sparse() || t.dtype() != ScalarType::Int64)
        fail(concat("the ", what, " of a nested tensor must be int64"));
    const Tensor here = copy_elements(t);
    return Dims(here.data<std::int64_t>(), here.data<std::int64_t>() + here.numel());
}
std::vector<Dims> rows_of(const Tensor& t, std::string_view what) {
    const Dims all = numbers_of(t, what);
    if (t.dim() != 2) fail(concat("the ", what, " of a nested tensor must have two dimensions, got ", t.dim()));
    std::vector<Dims> out;
    for (std::int64_t i = 0; i < t.size(0); ++i)
        out.emplace_back(all.begin() + i * t.size(1), all.begin() + (i + 1) * t.size(1));
    if (std::ranges::any_of(all, [](std::int64_t each) { return each < 0; }))
        fail(concat("the ", what, " of a nested tensor must not be negative"));
    return out;
}
Tensor table_of(const std::vector<Dims>& rows, std::int64_t columns) {
    std::vector<std::int64_t> all;
    for (const Dims& each : rows) all.insert(all.end(), each.begin(), each.end());
    return tensor_of(std::span<const std::int64_t>(all),
                     span_of(Dims{static_cast<std::int64_t>(rows.size()), columns}));
}
Tensor row_of(const Dims& numbers) {
    return tensor_of(std::span<const std::int64_t>(numbers.data(), numbers.size()),
                     span_of(Dims{static_cast<std::int64_t>(numbers.size())}));
}

Tensor from_list(const TensorList& list, const IValue& dtype, const IValue&, const IValue& device, const IValue&) {
    TensorList all = list;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].is_sparse()) fail("We do not accept nested tensors as input to nested tensors");
        if (all[i].dim() != all[0].dim()) {
            fail(concat("All Tensors given to nested_tensor must have the same dimension. Found dimension ",
                        all[i].dim(), " for Tensor at index ", i, " and dimension ", all[0].dim(),
                        " for Tensor at index 0."));
        }
    }
    if (all.empty()) return nested_of({});
    const IValue wanted = dtype.is_none() ? IValue(static_cast<std::int64_t>(all[0].dtype())) : dtype;
    const IValue place = device.is_none() ? IValue(all[0].device()) : device;
    for (Tensor& each : all) each = kToDevice(each, wanted, IValue(), place);
    return nested_of(all);
}

void check_mask(const Tensor& t, const Tensor& mask) {
    if (mask.dtype() != ScalarType::Bool) {
        fail(concat("Expected mask to be of ScalarType Bool, but got ", dtype_graph_name(mask.dtype()), " instead."));
    }
    if (mask.dim() != 2) fail("Padding mask should be 2D");
    if (t.dim() != 3) fail("Input should be a 3D tensor, N * L * D");
    if (t.size(0) != mask.size(0) || t.size(1) != mask.size(1)) fail("Mask size should match input size");
}
// How many of each row are set, and whether those are its first.
std::pair<Dims, bool> counts_of(const Tensor& mask) {
    const Tensor here = copy_elements(mask);
    Dims counts;
    bool is_aligned = true;
    for (std::int64_t i = 0; i < mask.size(0); ++i) {
        const bool* const row = here.data<bool>() + i * mask.size(1);
        counts.push_back(std::count(row, row + mask.size(1), true));
        is_aligned &= std::all_of(row, row + counts.back(), [](bool set) { return set; });
    }
    return {counts, is_aligned};
}
Tensor from_mask(const Tensor& t, const Tensor& mask, bool mask_check) {
    check_mask(t, mask);
    const auto [counts, is_aligned] = counts_of(mask);
    if (mask_check && !is_aligned) fail("Mask must be left-aligned without gaps");
    std::vector<Dims> sizes;
    for (const std::int64_t each : counts) sizes.push_back({each, t.size(2)});
    return cropped_constituents(t, sizes);
}
bool is_left_aligned(const Tensor& t, const Tensor& mask) {
    check_mask(t, mask);
    return counts_of(mask).second;
}

Tensor view_from_buffer(const Tensor& buffer, const Tensor& sizes, const Tensor& strides, const Tensor& offsets) {
    return make_nested(buffer, rows_of(sizes, "sizes"), rows_of(strides, "strides"), numbers_of(offsets, "offsets"));
}
std::tuple<Tensor, Tensor> strides_and_offsets(const Tensor& sizes) {
    const std::vector<Dims> rows = rows_of(sizes, "sizes");
    std::vector<Dims> strides;
    Dims offsets;
    std::int64_t start = 0;
    for (const Dims& each : rows) {
        strides.push_back(contiguous_strides(span_of(each)));
        offsets.push_back(start);
        start += checked_numel(span_of(each));
    }
    return {table_of(strides, sizes.size(1)), row_of(offsets)};
}

// padded: [batch, ...]; with heads moved, [batch, heads, length, width] to constituents [length, heads * width].
Tensor from_padded(const Tensor& padded, const Tensor& sizes, bool joins_heads) {
    Tensor rows = padded;
    if (joins_heads) {
        if (padded.dim() != 4) fail("_nested_from_padded: expected a padded tensor of four dimensions");
        rows = kReshape(kPermute(padded, Dims{0, 2, 1, 3}),
                        Dims{padded.size(0), padded.size(2), padded.size(1) * padded.size(3)});
    }
    const std::vector<Dims> wanted = rows_of(sizes, "sizes");
    if (static_cast<std::int64_t>(wanted.size()) != rows.size(0) || sizes.size(1) != rows.dim() - 1)
        fail("_nested_from_padded: the sizes and the padded tensor do not match");
    for (const Dims& each : wanted) {
        for (std::size_t d = 0; d < each.size(); ++d) {
            if (each[d] > rows.size(static_cast<std::int64_t>(d) + 1))
                fail("_nested_from_padded: a constituent is larger than the padded tensor");
        }
    }
    return cropped_constituents(rows, wanted);
}
Tensor from_padded_like(const Tensor& padded, const Tensor& like) {
    return from_padded(padded, table_of(parts_of(like).sizes, parts_of(like).rank), padded.dim() == 4);
}

Tensor sizes_of(const Tensor& t) { return table_of(parts_of(t).sizes, parts_of(t).rank); }
Tensor strides_of(const Tensor& t) { return table_of(parts_of(t).strides, parts_of(t).rank); }
Tensor offsets_of(const Tensor& t) { return row_of(parts_of(t).offsets); }

constexpr OperatorRecord about(std::string_view schema, std::string_view summary, KernelFunction composite) {
    return {.schema = schema, .summary = summary, .composite = composite, .sparse = {.as_is = true}};
}

constexpr OperatorRecord kRecords[] = {
    about("aten::_nested_tensor_from_tensor_list(Tensor[] list, ScalarType? dtype=None, Layout? layout=None, Device? "
          "device=None, bool? pin_memory=None) -> Tensor",
          "A nested tensor of copies of these tensors.", boxed<from_list>),
    about("aten::_nested_tensor_from_mask(Tensor t, Tensor mask, bool mask_check=True) -> Tensor",
          "The nested tensor of the first rows of each sequence, as many as the mask has set.", boxed<from_mask>),
    about("aten::_nested_tensor_from_mask_left_aligned(Tensor t, Tensor mask) -> bool",
          "Whether the mask sets the first rows of each sequence and no others.", boxed<is_left_aligned>),
    about(
        "aten::_nested_view_from_buffer(Tensor(a) self, Tensor nested_size, Tensor nested_strides, Tensor offsets) -> "
        "Tensor(a)",
        "The nested tensor of constituents in this buffer.", boxed<view_from_buffer>),
    about("aten::_nested_compute_contiguous_strides_offsets(Tensor nested_size) -> (Tensor, Tensor)",
          "Strides and offsets of constituents that lie one after the other.", boxed<strides_and_offsets>),
    about(
        "aten::_nested_from_padded(Tensor padded, Tensor cpu_nested_shape_example, bool fuse_transform_0213=False) -> "
        "Tensor",
        "The nested tensor of the first rows of each part of a padded tensor.", boxed<from_padded>),
    about("aten::_nested_from_padded_and_nested_example(Tensor padded, Tensor nt_example) -> Tensor",
          "The nested tensor of the first rows of each part of a padded tensor, sized as another one.",
          boxed<from_padded_like>),
    about("aten::_nested_tensor_size(Tensor self) -> Tensor", "The sizes of each constituent.", boxed<sizes_of>),
    about("aten::_nested_tensor_strides(Tensor self) -> Tensor", "The strides of each constituent.", boxed<strides_of>),
    about("aten::_nested_tensor_storage_offsets(Tensor self) -> Tensor", "Where each constituent begins.",
          boxed<offsets_of>),
};

}  // namespace

std::span<const OperatorRecord> nested_ops::strided_records() { return kRecords; }

}  // namespace loupe
