// SPDX-License-Identifier: Apache-2.0
#include "core/python/torch/torch_functional.h"

#include <algorithm>

#include "core/base/strings.h"
#include "core/base/torch_release.h"
#include "core/python/language/arguments.h"
#include "core/python/language/error.h"
#include "core/python/torch/torch_call.h"
#include "core/python/torch/torch_objects.h"

namespace loupe::python {
namespace {

bool is_sequence(const IValue& value) { return value.is_list() || value.is_tuple(); }

// f(a, b, c) or f([a, b, c]).
IValue as_one_list(const CallArguments& arguments) {
    if (arguments.positional.size() == 1 && is_sequence(arguments.positional[0])) return arguments.positional[0];
    return make_tuple(arguments.positional);
}

IValue keyword_or(const CallArguments& arguments, std::string_view name, IValue otherwise) {
    for (const auto& [keyword, value] : arguments.keywords) {
        if (keyword == name) return value;
    }
    return otherwise;
}

IValue einsum(CallArguments arguments) {
    if (arguments.positional.size() < 2) {
        throw_value_error(
            "einsum(): must specify the equation string and at least one operand, or at least one operand and "
            "its subscripts list");
    }
    const IValue equation = arguments.positional[0];
    arguments.positional.erase(arguments.positional.begin());
    return call_function("einsum", {equation, as_one_list(arguments)});
}

IValue meshgrid(CallArguments arguments) {
    const IValue indexing = keyword_or(arguments, "indexing", {});
    const IValue tensors = as_one_list(arguments);
    if (indexing.is_none()) return call_function("meshgrid", {tensors});
    return call_function("meshgrid", {tensors}, {{"indexing", indexing}});
}

IValue broadcast_tensors(CallArguments arguments) {
    return call_function("broadcast_tensors", {as_one_list(arguments)});
}
IValue cartesian_prod(CallArguments arguments) { return call_function("cartesian_prod", {as_one_list(arguments)}); }
IValue block_diag(CallArguments arguments) { return call_function("block_diag", {as_one_list(arguments)}); }
IValue chain_matmul(CallArguments arguments) { return call_function("chain_matmul", {as_one_list(arguments)}); }

IValue at_least(std::string_view name, const CallArguments& arguments) {
    if (arguments.positional.size() == 1) return call_function(name, {arguments.positional[0]});
    return call_function(name, {make_tuple(arguments.positional)});
}
IValue atleast_1d(CallArguments arguments) { return at_least("atleast_1d", arguments); }
IValue atleast_2d(CallArguments arguments) { return at_least("atleast_2d", arguments); }
IValue atleast_3d(CallArguments arguments) { return at_least("atleast_3d", arguments); }

std::vector<IValue> values_of(const Dims& sizes) { return {sizes.begin(), sizes.end()}; }
// As PyTorch 2 words it.
void refuse_misfit(const Dims& so_far, const Dims& sizes, std::size_t place) {
    for (std::size_t back = 1; back <= sizes.size(); ++back) {
        const std::int64_t size = sizes[sizes.size() - back];
        const std::int64_t have = back <= so_far.size() ? so_far[so_far.size() - back] : 1;
        if (size >= 0 && (size == have || size == 1 || have == 1)) continue;
        Dims padded = so_far;
        if (padded.size() < sizes.size()) padded.insert(padded.begin(), sizes.size() - padded.size(), 1);
        throw_error("RuntimeError",
                    concat("Attempting to broadcast a dimension of length ", size, " at -", back,
                           "! Mismatching argument at index ", place, " had ", repr(make_tuple(values_of(sizes))),
                           "; but expected shape should be broadcastable to ", shape_list_text(span_of(padded))));
    }
}
IValue broadcast_shapes(CallArguments arguments) {
    Dims out;
    std::size_t place = 0;
    for (const IValue& shape : arguments.positional) {
        Dims sizes;
        if (shape.is_int())
            sizes.push_back(shape.to_int());
        else
            for (const IValue& size : to_vector(shape)) sizes.push_back(to_index(size));
        if (!is_older_torch()) refuse_misfit(out, sizes, place);
        out = with_python_errors([&] { return loupe::broadcast_shapes(span_of(out), span_of(sizes)); });
        ++place;
    }
    return make_size(span_of(out));
}

IValue tensordot(CallArguments arguments) {
    const BoundArguments given(arguments, "tensordot", {"a", "b", "dims=", "out="});
    const IValue dims = given.value_or(2, std::int64_t{2});
    std::vector<IValue> first;
    std::vector<IValue> second;
    if (dims.is_int()) {
        const std::int64_t count = dims.to_int();
        if (count < 0) throw_error("RuntimeError", concat("tensordot expects dims >= 0, but got dims=", count));
        if (count > std::min(given[0].to_tensor().dim(), given[1].to_tensor().dim())) {
            throw_error("RuntimeError", concat("tensordot expects dims < ndim_a or ndim_b, but got dims=", count));
        }
        for (std::int64_t d = -count; d < 0; ++d) first.emplace_back(d);
        for (std::int64_t d = 0; d < count; ++d) second.emplace_back(d);
    } else {
        const std::vector<IValue> both = to_vector(dims);
        if (both.size() != 2) throw_value_error("too many values to unpack (expected 2)");
        first = is_sequence(both[0]) ? to_vector(both[0]) : std::vector<IValue>{both[0]};
        second = is_sequence(both[1]) ? to_vector(both[1]) : std::vector<IValue>{both[1]};
    }
    return call_function("tensordot",
                         {given[0], given[1], make_tuple(std::move(first)), make_tuple(std::move(second))});
}

IValue cdist(CallArguments arguments) {
    const BoundArguments given(arguments, "cdist", {"x1", "x2", "p=", "compute_mode="});
    IValue mode;
    if (given.has(3)) {
        const std::string name = str(given[3]);
        if (name == "use_mm_for_euclid_dist_if_necessary")
            mode = IValue();
        else if (name == "use_mm_for_euclid_dist")
            mode = std::int64_t{1};
        else if (name == "donot_use_mm_for_euclid_dist")
            mode = std::int64_t{2};
        else
            throw_value_error(concat(name, " is not a valid value for compute_mode"));
    }
    return call_function("cdist", {given[0], given[1], given.value_or(2, 2.0), mode});
}

IValue istft(CallArguments arguments) { return call_function("istft", std::move(arguments)); }

IValue unique_of(const BoundArguments& given, bool consecutive) {
    // input, [sorted,] return_inverse, return_counts, dim
    const std::size_t at = consecutive ? 1 : 2;
    const bool sorted = consecutive || given.truth_or(1, true);
    const bool inverse = given.truth_or(at, false);
    const bool counts = given.truth_or(at + 1, false);
    const IValue dim = given.value_or(at + 2, {});
    IValue result;
    if (consecutive)
        result = call_function("unique_consecutive", {given[0], inverse, counts, dim});
    else if (dim.is_none())
        result = call_function("_unique2", {given[0], sorted, inverse, counts});
    else
        result = call_function("unique_dim", {given[0], dim, sorted, inverse, counts});
    const auto& all = result.to_tuple().elements;
    if (!inverse && !counts) return all[0];
    std::vector<IValue> out{all[0]};
    if (inverse) out.push_back(all[1]);
    if (counts) out.push_back(all[2]);
    return make_tuple(std::move(out));
}

IValue lu(CallArguments arguments) {
    const BoundArguments given(arguments, "lu", {"A", "pivot=", "get_infos=", "out="});
    const IValue all = call_function("_lu_with_info", {given[0], given.truth_or(1, true), !given.truth_or(2, false)});
    auto parts = all.to_tuple().elements;
    if (!given.truth_or(2, false)) parts.pop_back();
    return make_tuple(std::move(parts));
}

std::vector<IValue> all_dimensions(const IValue& input) {
    std::vector<IValue> out(static_cast<std::size_t>(input.to_tensor().dim()));
    for (std::size_t d = 0; d < out.size(); ++d) out[d] = static_cast<std::int64_t>(d);
    return out;
}

IValue text_norm(const std::string& kind, const IValue& input, const IValue& dim, const IValue& keepdim,
                 const IValue& dtype) {
    if (kind == "fro") {
        if (!dtype.is_none()) throw_value_error("dtype argument is not supported in frobenius norm");
        const IValue dims = dim.is_none() ? make_tuple(all_dimensions(input)) : dim;
        return call_function("norm", {input, 2.0, dims}, {{"keepdim", keepdim}});
    }
    if (kind == "nuc") {
        if (!dtype.is_none()) throw_value_error("dtype argument is not supported in nuclear norm");
        if (dim.is_none()) return call_function("nuclear_norm", {input}, {{"keepdim", keepdim}});
        return call_function("nuclear_norm", {input, dim}, {{"keepdim", keepdim}});
    }
    throw_error("RuntimeError", concat("only valid string values are 'fro' and 'nuc', found ", kind));
}

constexpr FunctionalEntry kEntries[] = {
    {"einsum", einsum},
    {"meshgrid", meshgrid},
    {"broadcast_tensors", broadcast_tensors},
    {"broadcast_shapes", broadcast_shapes},
    {"cartesian_prod", cartesian_prod},
    {"block_diag", block_diag},
    {"chain_matmul", chain_matmul},
    {"atleast_1d", atleast_1d},
    {"atleast_2d", atleast_2d},
    {"atleast_3d", atleast_3d},
    {"tensordot", tensordot},
    {"cdist", cdist},
    {"split", functional_split},
    {"norm", functional_norm},
    {"stft", functional_stft},
    {"istft", istft},
    {"unique", functional_unique},
    {"unique_consecutive", functional_unique_consecutive},
    {"nonzero", functional_nonzero},
    {"lu", lu},
};

}  // namespace

std::span<const FunctionalEntry> functional_entries() { return kEntries; }

IValue functional_split(CallArguments arguments) {
    const BoundArguments given(arguments, "split", {"tensor", "split_size_or_sections", "dim="});
    const IValue dim = given.value_or(2, std::int64_t{0});
    const bool is_one_size = given[1].is_int() || given[1].is_tensor();
    return call_function(is_one_size ? "split" : "split_with_sizes", {given[0], given[1], dim});
}

IValue functional_norm(CallArguments arguments) {
    const BoundArguments given(arguments, "norm", {"input", "p=", "dim=", "keepdim=", "out=", "dtype="});
    const IValue input = given[0];
    const IValue p = given.value_or(1, "fro");
    const IValue keepdim = given.truth_or(3, false);
    const IValue dtype = given.value_or(5, {});
    IValue dim = given.value_or(2, {});
    if (dim.is_int()) dim = make_tuple({dim});
    if (p.is_string()) return text_norm(p.to_string(), input, dim, keepdim, dtype);
    if (dim.is_none()) dim = make_tuple(all_dimensions(input));
    if (dtype.is_none()) return call_function("norm", {input, p, dim}, {{"keepdim", keepdim}});
    return call_function("norm", {input, p, dim, keepdim}, {{"dtype", dtype}});
}

IValue functional_stft(CallArguments arguments) {
    const BoundArguments given(arguments, "stft",
                               {"input", "n_fft", "hop_length=", "win_length=", "window=", "center=", "pad_mode=",
                                "normalized=", "onesided=", "return_complex="});
    const auto pick = [&](std::size_t i, IValue otherwise) { return given.value_or(i, std::move(otherwise)); };
    return call_function("stft", {given[0], given[1], pick(2, {}), pick(3, {}), pick(4, {}), given.truth_or(5, true),
                                  pick(6, "reflect"), given.truth_or(7, false), pick(8, {}), pick(9, {})});
}

IValue functional_unique(CallArguments arguments) {
    return unique_of(
        BoundArguments(arguments, "unique", {"input", "sorted=", "return_inverse=", "return_counts=", "dim="}), false);
}
IValue functional_unique_consecutive(CallArguments arguments) {
    return unique_of(
        BoundArguments(arguments, "unique_consecutive", {"input", "return_inverse=", "return_counts=", "dim="}), true);
}
IValue functional_nonzero(CallArguments arguments) {
    const BoundArguments given(arguments, "nonzero", {"input", "*", "out=", "as_tuple="});
    return call_function(given.truth_or(2, false) ? "nonzero_numpy" : "nonzero", {given[0]});
}

}  // namespace loupe::python
