// SPDX-License-Identifier: Apache-2.0
// _pack_padded_sequence and _pad_packed_sequence: between a padded batch and its rows step by step.
#include <algorithm>
#include <numeric>

#include "core/ops/nn/common.h"
#include "core/ops/rnn/family.h"
#include "core/ops/rnn/layer.h"
#include "core/tensor/device_copy.h"

namespace loupe {
namespace {

using namespace rnn;

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

// Bytes of one step of one sample, and where they lie in a padded [T, B, *] (or [B, T, *]) tensor.
struct Padded {
    std::int64_t time;
    std::int64_t batch;
    std::int64_t row_bytes;
    bool batch_first;

    std::int64_t offset(std::int64_t t, std::int64_t b) const {
        return (batch_first ? b * time + t : t * batch + b) * row_bytes;
    }
};
Padded padded_layout(const Tensor& padded_tensor, bool batch_first) {
    const std::int64_t time = padded_tensor.size(batch_first ? 1 : 0);
    const std::int64_t batch = padded_tensor.size(batch_first ? 0 : 1);
    const std::int64_t rows = std::max<std::int64_t>(1, time * batch);
    return {time, batch, static_cast<std::int64_t>(padded_tensor.bytes()) / rows, batch_first};
}

Dims row_sizes(std::int64_t rows, const Tensor& like, std::int64_t skip) {
    Dims sizes{rows};
    sizes.insert(sizes.end(), like.sizes().begin() + skip, like.sizes().end());
    return sizes;
}

void run_pack(Arguments arguments, IValue* results) {
    const Tensor input = packed(arguments[0].to_tensor());
    const std::vector<std::int64_t> lengths = lengths_from(arguments[1].to_tensor());
    require(input.dim() >= 2, "Expected a padded input of at least 2 dimensions, but got ",
            shape_list_text(input.sizes()));
    require(input.numel() > 0, "Cannot pack empty tensors.");
    const Padded layout = padded_layout(input, arguments[2].to_bool());
    check_lengths(lengths, layout.batch);
    require(lengths[0] <= layout.time, "Expected sequence length to be at most ", layout.time, ", got ", lengths[0]);
    const std::int64_t total = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
    const Tensor data = empty(span_of(row_sizes(total, input, 2)), input.dtype());
    const Tensor batch_sizes = empty(IntSpan(lengths.data(), 1), ScalarType::Int64);
    auto* to = static_cast<std::byte*>(data.raw_data());
    const auto* from = static_cast<const std::byte*>(input.raw_data());
    std::int64_t active = layout.batch;
    for (std::int64_t t = 0; t < lengths[0]; ++t) {
        while (lengths[static_cast<std::size_t>(active) - 1] <= t) --active;
        batch_sizes.data<std::int64_t>()[t] = active;
        for (std::int64_t b = 0; b < active; ++b) to = std::copy_n(from + layout.offset(t, b), layout.row_bytes, to);
    }
    results[0] = data;
    results[1] = batch_sizes;
}

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

Tensor unpack(const Tensor& rows, IntSpan batch_sizes, const Tensor& out, bool batch_first) {
    const Tensor source = packed(rows);
    const Padded layout = padded_layout(out, batch_first);
    check_steps(rows, batch_sizes, layout.time, layout.batch);
    require(std::equal(rows.sizes().begin() + 1, rows.sizes().end(), out.sizes().begin() + 2, out.sizes().end()),
            "Expected data of ", shape_list_text(out.sizes().subspan(2)), " a row, but got ",
            shape_list_text(rows.sizes()));
    const auto* from = static_cast<const std::byte*>(source.raw_data());
    auto* to = static_cast<std::byte*>(out.raw_data());
    for (std::size_t t = 0; t < batch_sizes.size(); ++t) {
        for (std::int64_t b = 0; b < batch_sizes[t]; ++b) {
            std::copy_n(from, layout.row_bytes, to + layout.offset(static_cast<std::int64_t>(t), b));
            from += layout.row_bytes;
        }
    }
    return out;
}

void run_pack_backward(Arguments arguments, IValue* results) {
    const Tensor grad = arguments[0].to_tensor();
    const Dims sizes = arguments[1].to_ints();
    require(sizes.size() >= 2, "Expected an input_size of at least 2 dimensions, but got ",
            shape_list_text(span_of(sizes)));
    const std::vector<std::int64_t> batch_sizes = lengths_from(arguments[2].to_tensor());
    results[0] = unpack(grad, batch_sizes, zeros(span_of(sizes), grad.dtype()), arguments[3].to_bool());
}

void pack_gradient(GradientContext& c) {
    c.grad("input", [&] {
        return fn::_pack_padded_sequence_backward(c.grad_output(), to_dims(c.sizes("input")), c.result(1),
                                                  c.value("batch_first"));
    });
}

std::vector<std::int64_t> lengths_of_steps(const std::vector<std::int64_t>& batch_sizes) {
    std::vector<std::int64_t> lengths(static_cast<std::size_t>(batch_sizes.empty() ? 0 : batch_sizes[0]), 0);
    for (const std::int64_t size : batch_sizes) {
        for (std::int64_t b = 0; b < size; ++b) ++lengths[static_cast<std::size_t>(b)];
    }
    return lengths;
}

Tensor lengths_tensor(const std::vector<std::int64_t>& batch_sizes) {
    const std::vector<std::int64_t> lengths = lengths_of_steps(batch_sizes);
    const auto count = static_cast<std::int64_t>(lengths.size());
    return tensor_of(std::span<const std::int64_t>(lengths), IntSpan(&count, 1));
}

void pack_backward_gradient(GradientContext& c) {
    c.grad("grad", [&] {
        const Tensor lengths = lengths_tensor(lengths_from(c.argument("batch_sizes")));
        return std::get<0>(fn::_pack_padded_sequence(c.grad_output(), lengths, c.value("batch_first")));
    });
}

void run_pad(Arguments arguments, IValue* results) {
    const Tensor data = arguments[0].to_tensor();
    const std::vector<std::int64_t> batch_sizes = lengths_from(arguments[1].to_tensor());
    require(!batch_sizes.empty(), "batch_sizes can not be empty");
    check_steps(data, batch_sizes, static_cast<std::int64_t>(batch_sizes.size()),
                std::max<std::int64_t>(batch_sizes[0], 0));
    const bool batch_first = arguments[2].to_bool();
    std::int64_t time = static_cast<std::int64_t>(batch_sizes.size());
    const std::int64_t wanted = arguments[4].to_int();
    if (wanted > 0) {
        require(
            wanted >= time,
            "Expected total_length to be at least the length of the longest sequence in input, but got total_length=",
            wanted, " and max sequence length being ", time);
        time = wanted;
    }
    Dims sizes{batch_first ? batch_sizes[0] : time, batch_first ? time : batch_sizes[0]};
    sizes.insert(sizes.end(), data.sizes().begin() + 1, data.sizes().end());
    const Tensor out = empty(span_of(sizes), data.dtype());
    fn::fill_(out, arguments[3].to_scalar());
    results[0] = unpack(data, batch_sizes, out, batch_first);
    results[1] = lengths_tensor(batch_sizes);
}

void pad_gradient(GradientContext& c) {
    c.grad("data", [&] {
        const std::vector<std::int64_t> sizes = lengths_from(c.argument("batch_sizes"));
        return std::get<0>(fn::_pack_padded_sequence(c.grad_output(0), lengths_tensor(sizes), c.value("batch_first")));
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

     .dtypes = {kAnyDtype}},
};

}  // namespace

std::span<const OperatorRecord> rnn::packing_records() { return kRecords; }

}  // namespace loupe
