// SPDX-License-Identifier: Apache-2.0
#include "core/formats/pickle/special_tensors.h"

#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/formats/archive/byte_reader.h"
#include "core/formats/pickle/nested_tensors.h"
#include "core/formats/pickle/tensor_rebuild.h"
#include "core/ops/sparse/compressed.h"
#include "core/tensor/quantizer.h"

namespace loupe {
namespace {

// The component tensors of a special one are plain.
Tensor part(const PickleNode& node, ScalarType dtype, std::int64_t dims, StorageSource& storages) {
    if (!is_tensor_call(node)) throw_file_error("sparse or quantised tensor with a part that is no tensor");
    const RebuiltTensor rebuilt = rebuild_tensor(node, storages);
    const Tensor& t = rebuilt.tensor;
    if (!rebuilt.kind.empty() || t.is_sparse() || t.dtype() != dtype || t.dim() != dims) {
        throw_file_error(concat("sparse or quantised tensor with a part of torch.", dtype_name(t.dtype()), " ",
                                shape_text(t.sizes())));
    }
    return fn::contiguous(t);
}

RebuiltTensor plain_part(const PickleNode& node, StorageSource& storages) {
    if (!is_tensor_call(node)) throw_file_error("sparse tensor without values");
    RebuiltTensor rebuilt = rebuild_tensor(node, storages);
    if (!rebuilt.kind.empty() || rebuilt.tensor.is_sparse())
        throw_file_error("sparse tensor of values that are no plain tensor");
    return rebuilt;
}

Dims parse_size(const PickleNode& node) {
    const PickleNode& sizes = node.callable_name() == "torch.Size" && !node.call().args->elements().empty()
                                  ? *node.call().args->elements()[0]
                                  : node;
    constexpr std::int64_t kMost = std::int64_t{1} << 40;
    constexpr std::size_t kMostDimensions = 64;
    Dims dims;
    std::int64_t numel = 1;
    for (const PickleRef element : sizes.elements()) {
        const std::int64_t size = element->to_int();
        if (size < 0) throw_file_error(concat("sparse tensor of size ", size));
        if (size > kMost / std::max<std::int64_t>(numel, 1))
            throw_file_error(concat("sparse tensor of more than ", kMost, " elements"));
        numel *= size;
        dims.push_back(size);
    }
    if (dims.size() > kMostDimensions) throw_file_error(concat("sparse tensor of ", dims.size(), " dimensions"));
    return dims;
}

std::string layout_name(const PickleNode& node) {
    const auto& args = node.call().args->elements();
    if (node.callable_name() != "torch.serialization._get_layout" || args.size() != 1)
        throw_file_error("sparse tensor without a layout");
    return args[0]->to_string();
}

Tensor checked_sparse(const Tensor& indices, const Tensor& values, const Dims& sizes) {
    for (std::int64_t d = 0; d < indices.size(0) && d < static_cast<std::int64_t>(sizes.size()); ++d) {
        const std::int64_t size = sizes[static_cast<std::size_t>(d)];
        for (std::int64_t i = 0; i < indices.size(1); ++i) {
            const std::int64_t index = indices.data<std::int64_t>()[d * indices.size(1) + i];
            if (index < 0) throw_file_error(concat("found negative index ", index, " for dim ", d));
            if (index >= size)
                throw_file_error(concat("size is inconsistent with indices: for dim ", d, ", size is ", size,
                                        " but found index ", index));
        }
    }
    try {
        return make_sparse(indices, values, span_of(sizes));
    } catch (const Error& error) {
        throw_file_error(error.message());
    }
}

// (indices, values, size)
RebuiltTensor rebuild_coordinates(const PickleNode::Elements& parts, StorageSource& storages) {
    const Tensor indices = part(*parts[0], ScalarType::Int64, 2, storages);
    const RebuiltTensor values = plain_part(*parts[1], storages);
    return {checked_sparse(indices, values.tensor, parse_size(*parts[2])), values.requires_grad, {}, {}};
}

Tensor index_part(const PickleNode& node, StorageSource& storages) {
    const Tensor t = plain_part(node, storages).tensor;
    if (t.dtype() != ScalarType::Int64 && t.dtype() != ScalarType::Int32)
        throw_file_error(concat("sparse tensor with indices of torch.", dtype_name(t.dtype())));
    return fn::contiguous(t);
}

// (compressed indices, plain indices, values, size)
RebuiltTensor rebuild_compressed(CompressedLayout layout, const PickleNode::Elements& parts, StorageSource& storages) {
    const Tensor compressed = index_part(*parts[0], storages), plain = index_part(*parts[1], storages);
    const RebuiltTensor values = plain_part(*parts[2], storages);
    const Dims sizes = parse_size(*parts[3]);
    try {
        const Tensor exact = make_compressed(layout, compressed, plain, values.tensor, span_of(sizes));
        return {compressed_to_coordinate(exact), values.requires_grad,
                concat(layout_python_name(layout), " tensor of ", plain.numel(), " entries"),
                "save x.to_sparse_coo() or x.to_dense()", exact};
    } catch (const Error& error) {
        throw_file_error(error.message());
    }
}

RebuiltTensor rebuild_sparse(const PickleNode::Elements& args, StorageSource& storages) {
    const std::string layout = args.empty() ? "" : layout_name(*args[0]);
    const bool is_coo = layout == "torch.sparse_coo";
    const auto compressed = compressed_layout(std::string_view(layout).substr(std::min<std::size_t>(layout.size(), 6)));
    if (!is_coo && !compressed) {
        throw Error(ErrorKind::Unsupported,
                    concat("tensor of the layout ", quote_name(layout), ", which is not supported"),
                    {.hint = "save x.to_dense()"});
    }
    if (args.size() < 2 || args[1]->elements().size() < (is_coo ? 3U : 4U))
        throw_file_error("sparse tensor made from too few values");
    return is_coo ? rebuild_coordinates(args[1]->elements(), storages)
                  : rebuild_compressed(*compressed, args[1]->elements(), storages);
}

struct Quantiser {
    double scale = 1;
    std::int64_t zero_point = 0;
    Tensor scales;  // with a channel each: float64, or float32
    Tensor zero_points;
    std::int64_t axis = 0;
    std::string text;
};

Tensor channel_part(const PickleNode& node, std::int64_t channels, StorageSource& storages) {
    const Tensor t = fn::contiguous(plain_part(node, storages).tensor);
    const bool is_number =
        t.dtype() == ScalarType::Float64 || t.dtype() == ScalarType::Float32 || t.dtype() == ScalarType::Int64;
    if (!is_number || t.dim() != 1 || t.size(0) != channels)
        throw_file_error("quantised tensor whose channels do not fit");
    return t;
}

Quantiser parse_quantiser(const PickleNode::Elements& parameters, const Tensor& elements, StorageSource& storages) {
    if (parameters.size() < 3) throw_file_error("quantised tensor made from too few values");
    const std::string& scheme = parameters[0]->global_name();
    Quantiser quantiser;
    if (scheme == "torch.per_tensor_affine") {
        quantiser.scale = parameters[1]->to_float();
        quantiser.zero_point = parameters[2]->to_int();
        quantiser.text = concat(scheme, ", scale=", python_repr(parameters[1]->to_float()),
                                ", zero_point=", parameters[2]->to_int());
        return quantiser;
    }
    const bool is_by_channel =
        scheme == "torch.per_channel_affine" || scheme == "torch.per_channel_affine_float_qparams";
    if (!is_by_channel || parameters.size() < 4)
        throw_file_error(concat("quantised tensor of the scheme ", quote_name(scheme)));
    quantiser.axis = parameters[3]->to_int();
    if (quantiser.axis < 0 || quantiser.axis >= elements.dim())
        throw_file_error(concat("quantised tensor with channels along ", quantiser.axis));
    quantiser.scales = channel_part(*parameters[1], elements.size(quantiser.axis), storages);
    quantiser.zero_points = channel_part(*parameters[2], elements.size(quantiser.axis), storages);
    quantiser.text = concat(scheme, ", axis=", quantiser.axis);
    return quantiser;
}

// torch.quint4x2: two elements a byte, the first in the low half.
Tensor unpacked_halves(const PickleNode::Elements& args, StorageSource& storages) {
    const StorageId id = parse_storage_id(*args[0]);
    const Dims sizes = parse_size(*args[2]), strides = parse_size(*args[3]);
    const std::int64_t count = checked_numel(span_of(sizes));
    if (args[1]->to_int() != 0 || strides != contiguous_strides(span_of(sizes)))
        throw_file_error("tensor of torch.quint4x2 that is a view");
    if (id.numel < static_cast<std::uint64_t>((count + 1) / 2))
        throw_file_error(concat("tensor of ", count, " elements of 4 bits leaves its storage of ", id.numel, " bytes"));
    const Ptr<Storage> storage = storages.open(id.key, ScalarType::UInt8, id.numel);
    const auto* const bytes = static_cast<const std::uint8_t*>(storage->data());
    const Tensor out = empty(span_of(sizes), ScalarType::UInt8);
    for (std::int64_t i = 0; i < count; ++i)
        out.data<std::uint8_t>()[i] = static_cast<std::uint8_t>(bytes[i / 2] >> (i % 2 * 4) & 15);
    return out;
}

// (storage, offset, size, stride, (scheme, ...), requires_grad, hooks)
RebuiltTensor rebuild_quantised(const PickleNode::Elements& args, StorageSource& storages) {
    if (args.size() < 6) throw_file_error(concat("quantised tensor made from ", args.size(), " values"));
    const std::string& type = parse_storage_id(*args[0]).quantised;
    if (type.empty()) throw_file_error("quantised tensor on a storage of plain elements");
    const bool is_in_halves = type == "quint4x2";
    const Tensor elements =
        is_in_halves ? unpacked_halves(args, storages) : fn::contiguous(rebuild_dense(args, nullptr, storages));
    const Quantiser quantiser = parse_quantiser(args[4]->elements(), elements, storages);
    const Tensor exact = quantiser.scales.defined() ? make_quantized(elements, quantiser.scales, quantiser.zero_points,
                                                                     quantiser.axis, is_in_halves)
                                                    : make_quantized(elements, quantiser.scale, quantiser.zero_point);
    return {quantized_parts(exact).elements(), false,
            concat("quantised tensor (torch.", type, ", ", quantiser.text, ")"), "save x.dequantize()", exact};
}

}  // namespace

std::optional<RebuiltTensor> rebuild_special_tensor(std::string_view which, const PickleNode::Elements& args,
                                                    StorageSource& storages) {
    if (which == "sparse_tensor" || which == "sparse_csr_tensor") return rebuild_sparse(args, storages);
    if (which == "nested_tensor") return rebuild_nested_tensor(args, storages);
    if (which == "qtensor") return rebuild_quantised(args, storages);
    if (which == "meta_tensor_no_storage") {
        throw Error(ErrorKind::Unsupported, "holds a tensor on the device 'meta', which has no elements",
                    {.hint = "save it from a device that has them"});
    }
    return std::nullopt;
}

}  // namespace loupe
