// SPDX-License-Identifier: Apache-2.0
#include "core/python/torch/torch_indexing.h"

#include <algorithm>
#include <limits>

#include "core/autograd/program_tracer.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/python/language/error.h"
#include "core/python/torch/torch_call.h"
#include "core/python/torch/torch_data.h"
#include "core/python/torch/torch_objects.h"

namespace loupe::python {
namespace {

const OperatorHandle<> kAlias("aten::alias");
const OperatorHandle<> kUnsqueeze("aten::unsqueeze");
const OperatorHandle<> kSlice("aten::slice.Tensor");
const OperatorHandle<> kIndex("aten::index.Tensor");
const OperatorHandle<> kIndexPut("aten::index_put_");
const OperatorHandle<> kFillTensor("aten::fill_.Tensor");
const OperatorHandle<> kExpand("aten::expand");
const OperatorHandle<> kView("aten::view");

bool is_sequence(const IValue& value) { return value.is_list() || value.is_tuple(); }
const std::vector<IValue>& elements_of(const IValue& value) {
    return value.is_list() ? value.to_list().elements : value.to_tuple().elements;
}
bool is_slice(const IValue& value) { return object_as<SliceObject>(value) != nullptr; }
bool is_ellipsis(const IValue& value) { return is_same_object(value, ellipsis()); }

// A short list that holds more than numbers is taken as the tuple that it might have been, as old numpy did.
bool counts_as_tuple(const IValue& key) {
    if (key.is_tuple()) return true;
    if (!key.is_list() || key.to_list().elements.size() >= 32) return false;
    const auto& elements = key.to_list().elements;
    return std::any_of(elements.begin(), elements.end(), [](const IValue& each) {
        return each.is_tensor() || is_sequence(each) || is_slice(each) || is_ellipsis(each) || each.is_none();
    });
}

std::vector<IValue> as_indices(const IValue& key) {
    std::vector<IValue> out = counts_as_tuple(key) ? elements_of(key) : std::vector<IValue>{key};
    for (IValue& index : out) {
        if (auto array = tensor_of_array(index)) index = IValue(std::move(*array));
    }
    return out;
}

std::int64_t dimensions_taken(const std::vector<IValue>& indices) {
    std::int64_t out = 0;
    for (const IValue& index : indices) {
        if (index.is_tensor()) {
            const Tensor tensor = index.to_tensor();
            const bool is_mask = tensor.dtype() == ScalarType::Bool || tensor.dtype() == ScalarType::UInt8;
            out += is_mask ? tensor.dim() : 1;
        } else if (!index.is_none() && !index.is_bool() && !is_ellipsis(index)) {
            ++out;
        }
    }
    return out;
}

Tensor selected(const Tensor& tensor, std::int64_t dimension, std::int64_t index, std::size_t place) {
    if (dimension == 0 && tensor.dim() == 0) {
        throw_error(
            "IndexError",
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert "
            "a 0-dim tensor to a number");
    }
    const std::int64_t size = tensor.size(dimension);
    if (index < -size || index >= size) {
        throw_error("IndexError",
                    concat("index ", index, " is out of bounds for dimension ", place, " with size ", size));
    }
    return fn::select(tensor, dimension, index);
}

// An index that is a tensor, for the recorder of the call.
std::int64_t tied_index(const IValue& index, const OperatorHandle<>& handle, std::size_t argument) {
    if (!index.is_tensor() || index.to_tensor().dim() != 0) return to_index(index);
    if (!tie_number({&handle.get(), argument, -1, NumberTie::As::Int, index.to_tensor()})) return to_index(index);
    return item(index.to_tensor()).to_int();
}

Tensor sliced(const Tensor& tensor, std::int64_t dimension, const SliceObject& slice) {
    const std::int64_t step = slice.step.is_none() ? 1 : tied_index(slice.step, kSlice, 4);
    if (step == 0) throw_value_error("step cannot be zero");
    if (step < 0) throw_value_error("step must be greater than zero");
    const std::int64_t start = slice.start.is_none() ? 0 : tied_index(slice.start, kSlice, 2);
    const std::int64_t stop =
        slice.stop.is_none() ? std::numeric_limits<std::int64_t>::max() : tied_index(slice.stop, kSlice, 3);
    if (tensor.dim() == 0) {
        throw_error("IndexError", "slice() cannot be applied to a 0-dim tensor.");
    }
    return kSlice(tensor, dimension, start, stop, step);
}

Tensor bool_index(bool value) {
    const std::int64_t count = value ? 1 : 0;
    return zeros({&count, 1}, ScalarType::Int64);
}

// What is left when everything but index tensors has been applied.
class Slicer {
  public:
    Slicer(const Tensor& tensor, const std::vector<IValue>& indices) : result(tensor) {
        const std::int64_t taken = dimensions_taken(indices);
        if (taken > tensor.dim()) {
            throw_error("IndexError", concat("too many indices for tensor of dimension ", tensor.dim()));
        }
        skipped_ = tensor.dim() - taken;
        for (place_ = 0; place_ < indices.size(); ++place_) apply(indices[place_]);
    }

    Tensor result;
    TensorList tensors;

  private:
    void apply(const IValue& index) {
        if (index.is_int()) {
            result = selected(result, dimension_, index.to_int(), place_);
        } else if (is_ellipsis(index)) {
            dimension_ += skipped_;
        } else if (const auto* slice = object_as<SliceObject>(index)) {
            result = sliced(result, dimension_++, *slice);
        } else if (index.is_none()) {
            result = kUnsqueeze(result, dimension_++);
        } else if (index.is_bool()) {
            result = kUnsqueeze(result, dimension_);
            add(bool_index(index.to_bool()));
        } else if (index.is_tensor()) {
            apply_tensor(index.to_tensor());
        } else if (is_sequence(index) || find_length_of(index)) {
            add(index_from_data(index));
        } else {
            apply_other(index);
        }
    }
    void apply_tensor(const Tensor& tensor) {
        if (tensor.dim() != 0 || !is_integral(tensor.dtype())) {
            add(tensor);
        } else if (tensor.dtype() == ScalarType::Bool || tensor.dtype() == ScalarType::UInt8) {
            result = kUnsqueeze(result, dimension_);
            add(bool_index(item(tensor).to_bool()));
        } else {
            result = selected(result, dimension_, tied_index(tensor, fn::select, 2), place_);
        }
    }
    void apply_other(const IValue& index) {
        if (plain(index).is_int()) {
            result = selected(result, dimension_, plain(index).to_int(), place_);
            return;
        }
        check_unpacks(index);
        throw_error(
            "IndexError",
            concat("only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices "
                   "(got ",
                   type_name(index), ")"));
    }
    static bool find_length_of(const IValue& index) {
        if (index.is_string()) throw_type_error("new(): invalid data type 'str'");
        return index.is_other() && !plain(index).is_number() && find_length(index).has_value();
    }
    void add(Tensor index) {
        tensors.resize(static_cast<std::size_t>(dimension_) + 1);
        tensors[static_cast<std::size_t>(dimension_++)] = std::move(index);
    }

    std::int64_t dimension_ = 0;
    std::int64_t skipped_ = 0;
    std::size_t place_ = 0;
};

IValue index_list(const TensorList& tensors) {
    std::vector<IValue> elements(tensors.begin(), tensors.end());
    return make_ptr<ListObject>(types::optional(types::tensor()), std::move(elements));
}

// Sizes without the ones in front.
IntSpan without_leading_ones(IntSpan sizes) {
    std::size_t first = 0;
    while (first < sizes.size() && sizes[first] == 1) ++first;
    return sizes.subspan(first);
}

void copy_to(const Tensor& destination, const Tensor& source) {
    const auto to = destination.sizes();
    const auto from = source.sizes();
    if (std::equal(to.begin(), to.end(), from.begin(), from.end())) {
        fn::copy_(destination, source);
    } else if (source.dim() == 0) {
        kFillTensor(destination, source);
    } else {
        const Dims kept = to_dims(without_leading_ones(from));
        fn::copy_(destination, kExpand(kView(source, kept), to_dims(to)));
    }
}

Tensor value_tensor(const Tensor& tensor, const IValue& value) {
    if (value.is_tensor()) return value.to_tensor();
    const IValue& number = plain(value);
    if (number.is_complex() && !is_complex(tensor.dtype())) throw_type_error("can't convert complex to a real tensor");
    if (number.is_number()) return scalar_tensor(number.to_scalar(), tensor.dtype());
    throw_type_error(concat("can't assign a ", type_name(value), " to a torch.",
                            dtype_graph_name(tensor.dtype()) == "Float" ? "" : dtype_graph_name(tensor.dtype()),
                            "Tensor"));
}

}  // namespace

IValue tensor_item(const Tensor& tensor, const IValue& key) {
    return with_python_errors([&]() -> IValue {
        if (key.is_int()) return selected(tensor, 0, key.to_int(), 0);
        const std::vector<IValue> indices = as_indices(key);
        const Slicer slicer(tensor, indices);
        if (!slicer.tensors.empty()) return kIndex(slicer.result, index_list(slicer.tensors));
        return slicer.result.is_same(tensor) ? kAlias(tensor) : slicer.result;
    });
}

void set_tensor_item(const Tensor& tensor, const IValue& key, const IValue& value) {
    with_python_errors([&] {
        if (key.is_bool() && !key.to_bool()) return;
        const Tensor given = value_tensor(tensor, value);
        if (key.is_bool()) {
            copy_to(kUnsqueeze(tensor, 0), given);
            return;
        }
        const std::vector<IValue> indices = as_indices(key);
        const Slicer slicer(tensor, indices);
        if (slicer.tensors.empty()) {
            copy_to(slicer.result, given);
            return;
        }
        const IntSpan kept = without_leading_ones(given.sizes());
        const Tensor shown = kept.size() == given.sizes().size() ? given : kView(given, to_dims(kept));
        kIndexPut(slicer.result, index_list(slicer.tensors), shown);
    });
}

}  // namespace loupe::python
