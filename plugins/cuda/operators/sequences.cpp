// SPDX-License-Identifier: Apache-2.0
// Packed sequences: rows of padded batches, moved on the device; how long sequences are stays on the host.
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/ops/rnn/packing.h"
#include "core/tensor/device_copy.h"
#include "plugins/cuda/operators/dense.h"
#include "plugins/cuda/operators/index_loops.h"
#include "plugins/cuda/operators/operators.h"

namespace loupe::cuda {
namespace {

using rnn::PackedRows;

// Moves rows between the padded batch and the packed data, both dense.
void move_rows(const PackedRows& rows, const Tensor& padded, const Tensor& data, bool packs) {
    if (data.numel() == 0 || rows.places.empty()) return;
    const Device device = data.device();
    const std::int64_t size = data.element_size(), width = data.numel() / data.size(0);
    const auto count = static_cast<std::int64_t>(rows.places.size());
    const Tensor places = on_device(tensor_of(std::span<const std::int64_t>(rows.places), IntSpan(&count, 1)), device);
    IndexLoop loop;
    loop.add_dim(count, 0, width * size);
    loop.add_dim(width, size, size);
    add_index(loop, places, 0, rows.padded[0] * rows.padded[1], width * size, 0);
    const Queue queue = queue_of(device);
    if (packs)
        run_index_read(queue, loop, static_cast<int>(size), address_of(padded), address_of(data));
    else
        run_index_write(queue, loop, static_cast<int>(size), address_of(padded), address_of(data));
}

void pack(Arguments a, IValue* results) {
    const Tensor input = dense(a[0].to_tensor());
    const PackedRows rows = rnn::rows_to_pack(input, a[1].to_tensor(), a[2].to_bool());
    const Tensor data = empty(span_of(rows.data), input.dtype(), input.device());
    move_rows(rows, input, data, true);
    const auto steps = static_cast<std::int64_t>(rows.batch_sizes.size());
    results[0] = data;
    results[1] = tensor_of(std::span<const std::int64_t>(rows.batch_sizes), IntSpan(&steps, 1));
}
void pack_backward(Arguments a, IValue* results) {
    const Tensor grad = dense(a[0].to_tensor());
    const PackedRows rows = rnn::rows_to_unpack(grad, a[1].to_ints(), a[2].to_tensor(), a[3].to_bool());
    const Tensor padded = zeros(span_of(rows.padded), grad.dtype(), grad.device());
    move_rows(rows, padded, grad, false);
    results[0] = padded;
}
void pad(Arguments a, IValue* results) {
    const Tensor data = dense(a[0].to_tensor());
    const PackedRows rows = rnn::rows_to_pad(data, a[1].to_tensor(), a[2].to_bool(), a[4].to_int());
    const Tensor padded = empty(span_of(rows.padded), data.dtype(), data.device());
    fn::fill_(padded, a[3].to_scalar());
    move_rows(rows, padded, data, false);
    results[0] = padded;
    results[1] = rnn::lengths_of(rows.batch_sizes);
}

bool takes_rows(Arguments a, std::string* why) {
    if (!takes(a, why)) return false;
    const bool is_there = !a[0].to_tensor().device().is_cpu();
    if (!is_there && why != nullptr) *why = "data on the CPU";
    return is_there;
}

}  // namespace

void register_sequences(const Registration& to) {
    to.add("aten::_pack_padded_sequence", &pack, takes_rows);
    to.add("aten::_pack_padded_sequence_backward", &pack_backward, takes_rows);
    to.add("aten::_pad_packed_sequence", &pad, takes_rows);
}

}  // namespace loupe::cuda
