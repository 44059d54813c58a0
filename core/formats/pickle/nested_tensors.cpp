// SPDX-License-Identifier: Apache-2.0
#include "core/formats/pickle/nested_tensors.h"

#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/formats/archive/byte_reader.h"
#include "core/formats/pickle/tensor_rebuild.h"
#include "core/tensor/nested.h"

namespace loupe {
namespace {

constexpr std::string_view kOfType = "torch._tensor._rebuild_from_type_v2";

// A plain tensor, which may have been written with attributes.
RebuiltTensor part(const PickleNode& node, StorageSource& storages) {
    std::string_view function = node.callable_name();
    const PickleNode* args = function.empty() ? nullptr : node.call().args;
    if (function == kOfType) {
        const auto& given = args->elements();
        if (given.size() < 3) throw_file_error("tensor of a class made from too few values");
        function = given[0]->global_name();
        args = given[2];
    }
    if (args == nullptr || !function.starts_with("torch._utils._rebuild_tensor"))
        throw_file_error("nested tensor with a part that is no plain tensor");
    return rebuild_tensor(function, args->elements(), storages);
}
Tensor integers(const PickleNode& node, std::int64_t dims, StorageSource& storages) {
    const Tensor t = part(node, storages).tensor;
    if (t.dim() != dims || (t.dtype() != ScalarType::Int64 && t.dtype() != ScalarType::Int32))
        throw_file_error(
            concat("nested tensor with offsets or sizes of torch.", dtype_name(t.dtype()), " ", shape_text(t.sizes())));
    return fn::contiguous(t);
}
Dims numbers(const Tensor& t) {
    const Tensor wide = fn::to_dtype(t, static_cast<std::int64_t>(ScalarType::Int64));
    return Dims(wide.data<std::int64_t>(), wide.data<std::int64_t>() + wide.numel());
}
std::vector<Dims> rows(const Tensor& t) {
    const Dims all = numbers(t);
    std::vector<Dims> out;
    for (std::int64_t i = 0; i < t.size(0); ++i)
        out.emplace_back(all.begin() + i * t.size(1), all.begin() + (i + 1) * t.size(1));
    for (const std::int64_t each : all)
        if (each < 0) throw_file_error(concat("nested tensor with the size or stride ", each));
    return out;
}

const PickleNode* keyword(const PickleNode& dict, std::string_view name) {
    const auto& items = dict.items();
    const PickleNode* found = nullptr;
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
        if (items[i]->is(PickleKind::String) && items[i]->to_string() == name) found = items[i + 1];
    }
    return found == nullptr || found->is_none() ? nullptr : found;
}
// Kept as the first size of an empty tensor; most: as long as a sequence can be.
std::optional<std::int64_t> length(const PickleNode* cache, std::string_view name, std::int64_t most,
                                   StorageSource& storages) {
    const PickleNode* const node = cache == nullptr ? nullptr : keyword(*cache, name);
    if (node == nullptr) return std::nullopt;
    const Tensor t = part(*node, storages).tensor;
    if (t.dim() == 0) return std::nullopt;
    if (t.size(0) > most) throw_file_error(concat("nested tensor of ", most, " rows with a sequence of ", t.size(0)));
    return t.size(0);
}

RebuiltTensor made(const Tensor& values, const Tensor& nested, bool requires_grad) {
    if (requires_grad && is_differentiable(nested.dtype())) set_requires_grad(nested, true);
    return {detach(values), requires_grad, concat("nested tensor of ", nested.sizes()[0], " constituents"),
            "save the list x.unbind()", nested};
}

}  // namespace

RebuiltTensor rebuild_jagged_tensor(const PickleNode::Elements& args, StorageSource& storages) {
    if (args.size() != 1 || !args[0]->is(PickleKind::Dict)) throw_file_error("nested tensor made without its parts");
    const PickleNode& given = *args[0];
    const PickleNode* const values = keyword(given, "values");
    const PickleNode* const offsets = keyword(given, "offsets");
    const PickleNode* const lengths = keyword(given, "lengths");
    const PickleNode* const ragged = keyword(given, "_ragged_idx");
    const PickleNode* const cache = keyword(given, "_metadata_cache");
    const PickleNode* const requires_grad = keyword(given, "requires_grad");
    if (values == nullptr || offsets == nullptr) throw_file_error("nested tensor without values or offsets");
    const Tensor all = part(*values, storages).tensor;
    const std::int64_t dim = ragged == nullptr ? 1 : ragged->to_int();
    if (dim < 1 || dim > all.dim()) throw_file_error(concat("nested tensor whose dimension ", dim, " is ragged"));
    const std::int64_t rows = all.size(dim - 1);
    const auto known = std::make_shared<SequenceLengths>(
        SequenceLengths{length(cache, "min_seqlen", rows, storages), length(cache, "max_seqlen", rows, storages)});
    const Tensor starts = integers(*offsets, 1, storages);
    const Tensor counts = lengths == nullptr ? Tensor() : integers(*lengths, 1, storages);
    try {
        const Tensor nested = make_jagged(all, starts, counts, dim, known);
        return made(all, nested, requires_grad != nullptr && requires_grad->to_bool());
    } catch (const Error& error) {
        throw_file_error(error.message());
    }
}

RebuiltTensor rebuild_nested_tensor(const PickleNode::Elements& args, StorageSource& storages) {
    if (args.size() < 4) throw_file_error(concat("nested tensor made from ", args.size(), " values"));
    const RebuiltTensor buffer = part(*args[0], storages);
    const Tensor sizes = integers(*args[1], 2, storages), strides = integers(*args[2], 2, storages);
    const Tensor offsets = integers(*args[3], 1, storages);
    try {
        const Tensor nested = make_nested(buffer.tensor, rows(sizes), rows(strides), numbers(offsets));
        // Strides of 0 would make many elements of few.
        if (nested.numel() > buffer.tensor.numel())
            throw_file_error(
                concat("nested tensor of ", nested.numel(), " elements in a buffer of ", buffer.tensor.numel()));
        return made(buffer.tensor, nested, buffer.requires_grad);
    } catch (const Error& error) {
        throw_file_error(error.message());
    }
}

}  // namespace loupe
