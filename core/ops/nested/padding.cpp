// SPDX-License-Identifier: Apache-2.0
#include "core/ops/nested/padding.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/call.h"
#include "core/tensor/copy_elements.h"

namespace loupe {
namespace {

[[noreturn]] void fail(std::string message) { throw Error(ErrorKind::Run, std::move(message)); }

std::vector<std::int64_t> numbers_of(const Tensor& t) {
    if (t.dtype() != ScalarType::Int32 && t.dtype() != ScalarType::Int64)
        fail(concat("expected offsets and lengths of a nested tensor to be int32 or int64, but got ",
                    dtype_graph_name(t.dtype())));
    const Tensor here = copy_elements(t);
    std::vector<std::int64_t> out(static_cast<std::size_t>(here.numel()));
    if (here.dtype() == ScalarType::Int32)
        std::copy_n(here.data<std::int32_t>(), out.size(), out.begin());
    else
        std::copy_n(here.data<std::int64_t>(), out.size(), out.begin());
    return out;
}

const OperatorHandle<> kCat{"aten::cat"}, kIndexSelect{"aten::index_select"}, kNewFull{"aten::new_full"},
    kReshape{"aten::reshape"}, kTranspose{"aten::transpose.int"}, kToDevice{"aten::to.dtype_layout"};

Tensor row_numbers(const std::vector<std::int64_t>& numbers, const Tensor& like) {
    const Tensor here =
        tensor_of(std::span<const std::int64_t>(numbers), span_of(Dims{static_cast<std::int64_t>(numbers.size())}));
    return like.device().is_cpu() ? here : kToDevice(here, IValue(), IValue(), like.device());
}

// The sizes after the first `skipped`, after others.
Dims sizes_after(std::initializer_list<std::int64_t> first, IntSpan sizes, std::size_t skipped) {
    Dims out(first);
    out.insert(out.end(), sizes.begin() + static_cast<std::ptrdiff_t>(skipped), sizes.end());
    return out;
}

}  // namespace

std::vector<Sequence> sequences_of(const Tensor& offsets_given, const Tensor& lengths_given, std::int64_t total) {
    const auto offsets = numbers_of(offsets_given);
    const auto lengths = lengths_given.defined() ? numbers_of(lengths_given) : std::vector<std::int64_t>();
    if (!lengths.empty() && lengths.size() + 1 < offsets.size())
        fail("nested tensor offsets and lengths do not match ragged_idx dimension");
    std::vector<Sequence> out;
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
        const std::int64_t start = offsets[i];
        if (start < 0 || start > total) fail("nested tensor offsets do not match its ragged dimension");
        const std::int64_t length = lengths.empty() ? offsets[i + 1] - start : lengths[i];
        if (length < 0 || length > total - start)
            fail("nested tensor offsets and lengths do not match ragged_idx dimension");
        out.push_back({start, length});
    }
    return out;
}

std::vector<Sequence> sequences_of(const Tensor& t) {
    const JaggedParts& parts = jagged_parts(t);
    return sequences_of(parts.offsets, parts.lengths, parts.values.size(parts.ragged - 1));
}

std::int64_t longest_sequence(const Tensor& t) {
    SequenceLengths& known = *jagged_parts(t).known;
    if (!known.most) {
        std::int64_t most = 0;
        for (const Sequence& each : sequences_of(t)) most = std::max(most, each.length);
        known.most = most;
    }
    return *known.most;
}

Tensor padded_rows(const Tensor& values, const std::vector<Sequence>& sequences, std::int64_t most, double padding) {
    const std::int64_t total = values.size(0);
    std::vector<std::int64_t> rows;
    for (const Sequence& each : sequences) {
        for (std::int64_t k = 0; k < most; ++k) rows.push_back(k < each.length ? each.start + k : total);
    }
    const Tensor row = kNewFull(values, sizes_after({1}, values.sizes(), 1), Scalar(padding));
    const Tensor chosen =
        kIndexSelect(kCat(TensorList{values, row}, std::int64_t{0}), std::int64_t{0}, row_numbers(rows, values));
    return kReshape(chosen, sizes_after({static_cast<std::int64_t>(sequences.size()), most}, values.sizes(), 1));
}

Tensor unpadded_rows(const Tensor& padded, const std::vector<Sequence>& sequences, std::int64_t total) {
    const std::int64_t batch = padded.size(0), most = padded.size(1);
    std::vector<std::int64_t> rows(static_cast<std::size_t>(total), batch * most);
    for (std::size_t i = 0; i < sequences.size(); ++i) {
        for (std::int64_t k = 0; k < std::min(sequences[i].length, most); ++k) {
            rows[static_cast<std::size_t>(sequences[i].start + k)] = static_cast<std::int64_t>(i) * most + k;
        }
    }
    const Tensor flat = kReshape(padded, sizes_after({batch * most}, padded.sizes(), 2));
    const Tensor zero = kNewFull(padded, sizes_after({1}, padded.sizes(), 2), Scalar(0));
    return kIndexSelect(kCat(TensorList{flat, zero}, std::int64_t{0}), std::int64_t{0}, row_numbers(rows, padded));
}

Tensor ragged_first(const Tensor& values, std::int64_t dim) {
    return dim == 0 ? values : kTranspose(values, std::int64_t{0}, dim);
}

Tensor sequence_of_rows(const std::vector<Sequence>& sequences, std::int64_t total) {
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(total), 0);
    for (std::size_t i = 0; i < sequences.size(); ++i) {
        const auto first = numbers.begin() + sequences[i].start;
        std::fill(first, first + sequences[i].length, static_cast<std::int64_t>(i));
    }
    return tensor_of(std::span<const std::int64_t>(numbers), span_of(Dims{total}));
}

Tensor to_padded(const Tensor& t, double padding, std::optional<std::int64_t> most) {
    const JaggedParts& parts = jagged_parts(t);
    const Tensor rows = ragged_first(parts.values, parts.ragged - 1);
    const Tensor padded = padded_rows(rows, sequences_of(t), most ? *most : longest_sequence(t), padding);
    return parts.ragged == 1 ? padded : kTranspose(padded, std::int64_t{1}, parts.ragged);
}

}  // namespace loupe
