// SPDX-License-Identifier: Apache-2.0
// _pack_padded_sequence and _pad_packed_sequence: between a padded batch and its rows step by step.
#include "core/ops/rnn/packing.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "core/kernels/integer_math.h"
#include "core/ops/nn/common.h"
#include "core/ops/rnn/family.h"
#include "core/ops/rnn/layer.h"
#include "core/tensor/device_copy.h"

namespace loupe {
namespace rnn {
namespace {

std::vector<std::int64_t> lengths_from(const Tensor& lengths) {
    require(lengths.dtype() == ScalarType::Int64, "'lengths' argument should be a 1D CPU int64 tensor, but got ",
            lengths.dim(), "D ", device_name(lengths.device()), " ", dtype_graph_name(lengths.dtype()), " tensor");
    const Tensor values = on_host(packed(lengths));
    return {values.data<std::int64_t>(), values.data<std::int64_t>() + values.numel()};
}

void check_lengths(const std::vector<std::int64_t>& lengths, std::int64_t batch) {
    require(!lengths.empty(), "Expected `len(lengths)` to be equal to batch_size, but got 0 (batch_size=", batch, ")");
    require(static_cast<std::int64_t>(lengths.size()) == batch,
            "Expected `len(lengths)` to be equal to batch_size, but got ", lengths.size(), " (batch_size=", batch, ")");
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        require(i == 0 || lengths[i] <= lengths[i - 1],
                "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
                "`enforce_sorted=False` to "
                "pack_padded_sequence and/or pack_sequence to sidestep this requirement if you do not need ONNX "
                "exportability.");
    }
    require(lengths.back() > 0,
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0");
}

// The padded batch's row of step t of sequence b.
struct Padded {
    std::int64_t time;
    std::int64_t batch;
    bool batch_first;

    std::int64_t place(std::int64_t t, std::int64_t b) const { return batch_first ? b * time + t : t * batch + b; }
};

// Steps never grow, and there are as many rows as they say.
void check_steps(const Tensor& rows, IntSpan batch_sizes, std::int64_t time, std::int64_t batch) {
    require(rows.dim() >= 1, "Expected packed data of at least 1 dimension");
    require(static_cast<std::int64_t>(batch_sizes.size()) <= time, "batch_sizes has ", batch_sizes.size(),
            " steps, but there are ", time);
    std::int64_t left = rows.size(0);
    for (const std::int64_t size : batch_sizes) {
        require(size >= 0 && size <= batch, "Expected batch_sizes that never grow, but got [", join(batch_sizes, ", "),
                "]");
        batch = size;
        require(size <= left, "batch_sizes [", join(batch_sizes, ", "), "] ask for more than the ", rows.size(0),
                " rows of the data");
        left -= size;
    }
}

void put_places(PackedRows& rows, const Padded& layout) {
    for (std::size_t t = 0; t < rows.batch_sizes.size(); ++t) {
        for (std::int64_t b = 0; b < rows.batch_sizes[t]; ++b)
            rows.places.push_back(layout.place(static_cast<std::int64_t>(t), b));
    }
}

// Where the data's rows go in a padded batch of these sizes.
PackedRows unpacked_rows(const Tensor& data, Dims padded, std::vector<std::int64_t> batch_sizes, bool batch_first) {
    const Padded layout{padded[batch_first ? 1 : 0], padded[batch_first ? 0 : 1], batch_first};
    checked_product(layout.time, layout.batch);
    check_steps(data, batch_sizes, layout.time, layout.batch);
    require(std::equal(data.sizes().begin() + 1, data.sizes().end(), padded.begin() + 2, padded.end()),
            "Expected data of ", shape_list_text(span_of(padded).subspan(2)), " a row, but got ",
            shape_list_text(data.sizes()));
    PackedRows rows{{}, std::move(batch_sizes), to_dims(data.sizes()), std::move(padded)};
    put_places(rows, layout);
    return rows;
}

}  // namespace

PackedRows rows_to_pack(const Tensor& input, const Tensor& lengths, bool batch_first) {
    const std::vector<std::int64_t> each = lengths_from(lengths);
    require(input.dim() >= 2, "Expected a padded input of at least 2 dimensions, but got ",
            shape_list_text(input.sizes()));
    require(input.numel() > 0, "Cannot pack empty tensors.");
    const Padded layout{input.size(batch_first ? 1 : 0), input.size(batch_first ? 0 : 1), batch_first};
    check_lengths(each, layout.batch);
    require(each[0] <= layout.time, "Expected sequence length to be at most ", layout.time, ", got ", each[0]);
    PackedRows rows;
    std::int64_t active = layout.batch;
    for (std::int64_t t = 0; t < each[0]; ++t) {
        while (each[static_cast<std::size_t>(active) - 1] <= t) --active;
        rows.batch_sizes.push_back(active);
    }
    put_places(rows, layout);
    rows.data = {static_cast<std::int64_t>(rows.places.size())};
    rows.data.insert(rows.data.end(), input.sizes().begin() + 2, input.sizes().end());
    rows.padded = to_dims(input.sizes());
    return rows;
}

PackedRows rows_to_unpack(const Tensor& data, const Dims& padded, const Tensor& batch_sizes, bool batch_first) {
    require(padded.size() >= 2, "Expected an input_size of at least 2 dimensions, but got ",
            shape_list_text(span_of(padded)));
    return unpacked_rows(data, padded, lengths_from(batch_sizes), batch_first);
}

PackedRows rows_to_pad(const Tensor& data, const Tensor& given, bool batch_first, std::int64_t total_length) {
    std::vector<std::int64_t> batch_sizes = lengths_from(given);
    require(!batch_sizes.empty(), "batch_sizes can not be empty");
    check_steps(data, batch_sizes, static_cast<std::int64_t>(batch_sizes.size()),
                std::max<std::int64_t>(batch_sizes[0], 0));
    std::int64_t time = static_cast<std::int64_t>(batch_sizes.size());
    if (total_length > 0) {
        require(total_length >= time,
                "Expected total_length to be at least the length of the longest sequence in input, but got "
                "total_length=",
                total_length, " and max sequence length being ", time);
        time = total_length;
    }
    Dims sizes{batch_first ? batch_sizes[0] : time, batch_first ? time : batch_sizes[0]};
    sizes.insert(sizes.end(), data.sizes().begin() + 1, data.sizes().end());
    return unpacked_rows(data, std::move(sizes), std::move(batch_sizes), batch_first);
}

Tensor lengths_of(const std::vector<std::int64_t>& batch_sizes) {
    std::vector<std::int64_t> lengths(static_cast<std::size_t>(batch_sizes.empty() ? 0 : batch_sizes[0]), 0);
    for (const std::int64_t size : batch_sizes) {
        for (std::int64_t b = 0; b < size; ++b) ++lengths[static_cast<std::size_t>(b)];
    }
    const auto count = static_cast<std::int64_t>(lengths.size());
    return tensor_of(std::span<const std::int64_t>(lengths), IntSpan(&count, 1));
}

}  // namespace rnn
namespace {

using namespace rnn;

std::size_t row_bytes(const PackedRows& rows, const Tensor& t) {
    const std::int64_t width = checked_numel(span_of(rows.padded).subspan(2));
    return static_cast<std::size_t>(width * t.element_size());
}

void run_pack(Arguments arguments, IValue* results) {
    const Tensor input = packed(arguments[0].to_tensor());
    const PackedRows rows = rows_to_pack(input, arguments[1].to_tensor(), arguments[2].to_bool());
    const Tensor data = empty(span_of(rows.data), input.dtype());
    const std::size_t bytes = row_bytes(rows, input);
    auto* to = static_cast<std::byte*>(data.raw_data());
    const auto* const from = static_cast<const std::byte*>(input.raw_data());
    for (const std::int64_t place : rows.places) {
        std::memcpy(to, from + static_cast<std::size_t>(place) * bytes, bytes);
        to += bytes;
    }
    const auto steps = static_cast<std::int64_t>(rows.batch_sizes.size());
    results[0] = data;
    results[1] = tensor_of(std::span<const std::int64_t>(rows.batch_sizes), IntSpan(&steps, 1));
}

Tensor unpack(const Tensor& data, const PackedRows& rows, const Tensor& out) {
    const Tensor source = packed(data);
    const std::size_t bytes = row_bytes(rows, out);
    const auto* from = static_cast<const std::byte*>(source.raw_data());
    auto* const to = static_cast<std::byte*>(out.raw_data());
    for (const std::int64_t place : rows.places) {
        std::memcpy(to + static_cast<std::size_t>(place) * bytes, from, bytes);
        from += bytes;
    }
    return out;
}

void run_pack_backward(Arguments arguments, IValue* results) {
    const Tensor grad = arguments[0].to_tensor();
    const PackedRows rows =
        rows_to_unpack(grad, arguments[1].to_ints(), arguments[2].to_tensor(), arguments[3].to_bool());
    results[0] = unpack(grad, rows, zeros(span_of(rows.padded), grad.dtype()));
}

void pack_gradient(GradientContext& c) {
    c.grad("input", [&] {
        return fn::_pack_padded_sequence_backward(c.grad_output(), to_dims(c.sizes("input")), c.result(1),
                                                  c.value("batch_first"));
    });
}

std::vector<std::int64_t> numbers_of(const Tensor& t) {
    const Tensor values = on_host(packed(t));
    return {values.data<std::int64_t>(), values.data<std::int64_t>() + values.numel()};
}

void pack_backward_gradient(GradientContext& c) {
    c.grad("grad", [&] {
        const Tensor lengths = lengths_of(numbers_of(c.argument("batch_sizes")));
        return std::get<0>(fn::_pack_padded_sequence(c.grad_output(), lengths, c.value("batch_first")));
    });
}

void run_pad(Arguments arguments, IValue* results) {
    const Tensor data = arguments[0].to_tensor();
    const PackedRows rows = rows_to_pad(data, arguments[1].to_tensor(), arguments[2].to_bool(), arguments[4].to_int());
    const Tensor out = empty(span_of(rows.padded), data.dtype());
    fn::fill_(out, arguments[3].to_scalar());
    results[0] = unpack(data, rows, out);
    results[1] = lengths_of(rows.batch_sizes);
}

void pad_gradient(GradientContext& c) {
    c.grad("data", [&] {
        const Tensor lengths = lengths_of(numbers_of(c.argument("batch_sizes")));
        return std::get<0>(fn::_pack_padded_sequence(c.grad_output(0), lengths, c.value("batch_first")));
    });
}

std::vector<Sample> pack_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {4, 3, 2}, dtype), tensor_of<std::int64_t>({4, 2, 1}, {3}), false}},
            {{random_tensor(random, {3, 4, 2}, dtype), tensor_of<std::int64_t>({3, 3, 1}, {3}), true}, "batch first"}};
}
std::vector<Sample> pad_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {7, 2}, dtype), tensor_of<std::int64_t>({3, 2, 1, 1}, {4}), true, 0.5, 6}}};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::_pack_padded_sequence(Tensor input, Tensor lengths, bool batch_first) -> (Tensor, Tensor)",
     .summary = "The rows of a padded batch step by step, without the padding, and how many sequences each step has.",
     .formula = "data[sum of batch_sizes before t + n] = input[t, n]",
     .results_from = ResultsFrom::Elements,
     .kernel = run_pack,
     .derivative = {pack_gradient, {save_result(1)}, "PackPaddedSequenceBackward0"},
     .gradient = "input: grad, back in its places; 0 in the padding",
     .samples = pack_samples,
     .variants = kOut,
     .placement = Placement::Mixed,
     .dtypes = {kAnyDtype}},
    {
        .schema = "aten::_pack_padded_sequence_backward(Tensor grad, int[] input_size, Tensor batch_sizes, bool "
                  "batch_first) -> "
                  "Tensor",
        .summary = "Gradient of _pack_padded_sequence: rows go back to their places.",
        .formula = "out[t, n] = grad[sum of batch_sizes before t + n], 0 in the padding",
        .kernel = run_pack_backward,
        .derivative = {pack_backward_gradient, {save_argument("batch_sizes")}, "PackPaddedSequenceBackwardBackward0"},
        .gradient = "grad: grad of what is no padding",
        .placement = Placement::Mixed,
    },
    {.schema =
         "aten::_pad_packed_sequence(Tensor data, Tensor batch_sizes, bool batch_first, Scalar padding_value, int "
         "total_length) -> "
         "(Tensor, Tensor)",
     .summary = "A padded batch from rows step by step, and the length of each sequence.",
     .formula = "out[t, n] = data[sum of batch_sizes before t + n], padding_value elsewhere",
     .results_from = ResultsFrom::Elements,
     .kernel = run_pad,
     .derivative = {pad_gradient, {save_argument("batch_sizes")}, "PadPackedSequenceBackward0"},
     .gradient = "data: grad of what is no padding",
     .samples = pad_samples,
     .placement = Placement::Mixed,
     .dtypes = {kAnyDtype}},
};

}  // namespace

std::span<const OperatorRecord> rnn::packing_records() { return kRecords; }

}  // namespace loupe
