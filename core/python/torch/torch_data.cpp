// SPDX-License-Identifier: Apache-2.0
#include "core/python/torch/torch_data.h"

#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/python/language/big_integer.h"
#include "core/python/language/error.h"
#include "core/python/torch/torch_call.h"
#include "core/python/torch/torch_objects.h"
#include "core/tensor/device_copy.h"

namespace loupe::python {
namespace {

bool is_sequence(const IValue& value) {
    if (value.is_list() || value.is_tuple()) return true;
    return value.is_other() && find_length(value).has_value() && !value.is_string();
}

std::vector<IValue> elements_of(const IValue& value) {
    if (value.is_list()) return value.to_list().elements;
    if (value.is_tuple()) return value.to_tuple().elements;
    return to_vector(value);
}

// Lists as vectors of elements, made once.
struct Tree {
    IValue leaf;
    std::vector<Tree> children;
    bool is_leaf = true;
};

constexpr int kDeepest = 128;

// Its elements keep its dtype.
Tree tree_of_tensor(const Tensor& tensor) {
    Tree out;
    out.is_leaf = tensor.dim() == 0;
    if (out.is_leaf) out.leaf = IValue(tensor);
    for (std::int64_t i = 0; !out.is_leaf && i < tensor.size(0); ++i)
        out.children.push_back(tree_of_tensor(fn::select(tensor, 0, i)));
    return out;
}

Tree tree_of(const IValue& value, int depth) {
    if (depth > kDeepest) throw_value_error("too many dimensions 'list'");
    Tree out;
    if (const auto array = tensor_of_array(value)) {
        return tree_of_tensor(*array);
    }
    if (!is_sequence(value)) {
        out.leaf = value;
        return out;
    }
    out.is_leaf = false;
    for (const IValue& element : elements_of(value)) out.children.push_back(tree_of(element, depth + 1));
    return out;
}

// Of the first of each list, as sizes are.
const IValue& first_leaf(const Tree& tree) {
    return tree.is_leaf || tree.children.empty() ? tree.leaf : first_leaf(tree.children.front());
}

void find_sizes(const Tree& tree, Dims& sizes) {
    if (tree.is_leaf) {
        if (tree.leaf.is_tensor()) {
            for (const std::int64_t size : tree.leaf.to_tensor().sizes()) sizes.push_back(size);
        }
        return;
    }
    sizes.push_back(static_cast<std::int64_t>(tree.children.size()));
    if (!tree.children.empty()) find_sizes(tree.children.front(), sizes);
}

std::optional<ScalarType> joined(std::optional<ScalarType> a, std::optional<ScalarType> b) {
    if (!a) return b;
    return b ? promote_types(*a, *b) : a;
}

ScalarType complex_default() {
    return default_dtype() == ScalarType::Float64 ? ScalarType::Complex128 : ScalarType::Complex64;
}

std::optional<ScalarType> inferred_dtype(const Tree& tree) {
    if (!tree.is_leaf) {
        std::optional<ScalarType> out;
        for (const Tree& child : tree.children) out = joined(out, inferred_dtype(child));
        return out;
    }
    const IValue& value = plain(tree.leaf);
    if (value.is_tensor()) return value.to_tensor().dtype();
    if (value.is_bool()) return ScalarType::Bool;
    if (value.is_int() || is_big_integer(value)) return ScalarType::Int64;
    if (value.is_double()) return default_dtype();
    if (value.is_complex()) return complex_default();
    if (value.is_string()) throw_type_error("new(): invalid data type 'str'");
    throw_error("RuntimeError", concat("Could not infer dtype of ", type_name(value)));
}

Scalar number_at(const IValue& value, ScalarType dtype) {
    if (value.is_tensor()) {
        const Tensor tensor = value.to_tensor();
        if (tensor.numel() != 1) throw_value_error("only one element tensors can be converted to Python scalars");
        return item(tensor);
    }
    if (value.is_string()) throw_value_error("too many dimensions 'str'");
    if (is_big_integer(plain(value))) {
        if (dtype == ScalarType::UInt64) {
            if (const auto bits = integer_to_unsigned(plain(value))) return static_cast<std::int64_t>(*bits);
            throw_error("OverflowError", "int too big to convert");
        }
        if (!is_floating(dtype) && !is_complex(dtype)) check_unpacks(value);
        return integer_to_double(plain(value));
    }
    if (!plain(value).is_number()) throw_type_error(concat("must be real number, not ", type_name(value)));
    return plain(value).to_scalar();
}

// is_wrapped: the bits of a number above those of int64.
void check_range(const Scalar& value, ScalarType dtype, bool is_wrapped) {
    if (!is_integral(dtype) || dtype == ScalarType::Bool || !value.is_integral()) return;
    const std::int64_t bits = element_size(dtype) * 8;
    if (bits == 64) {
        if (dtype == ScalarType::UInt64 && value.is_integral() && value.to_int() < 0 && !is_wrapped)
            throw_error("OverflowError", "can't convert negative int to unsigned");
        return;
    }
    const bool has_sign = !is_unsigned(dtype);
    const std::int64_t high = (std::int64_t{1} << (bits - (has_sign ? 1 : 0))) - 1;
    const std::int64_t low = has_sign ? -high - 1 : -high;
    if (value.to_int() >= low && value.to_int() <= high) return;
    throw_error("RuntimeError", concat("value cannot be converted to type ", dtype_name(dtype), " without overflow"));
}

class Filler {
  public:
    Filler(const Tensor& out) : out_(out) {}

    void fill(const Tree& tree, std::size_t dimension) {
        const auto sizes = out_.sizes();
        if (dimension == sizes.size()) {
            if (!tree.is_leaf) throw_type_error("'list' object cannot be interpreted as an integer");
            store(number_at(tree.leaf, out_.dtype()), is_big_integer(plain(tree.leaf)));
            return;
        }
        const std::int64_t expected = sizes[dimension];
        if (tree.is_leaf && tree.leaf.is_tensor()) {
            fill_from(tree.leaf.to_tensor(), dimension);
            return;
        }
        if (tree.is_leaf) throw_type_error("not a sequence");
        if (static_cast<std::int64_t>(tree.children.size()) != expected) {
            throw_value_error(concat("expected sequence of length ", expected, " at dim ", dimension, " (got ",
                                     tree.children.size(), ")"));
        }
        for (const Tree& child : tree.children) fill(child, dimension + 1);
    }

  private:
    void fill_from(const Tensor& tensor, std::size_t dimension) {
        const auto rest = out_.sizes().subspan(dimension);
        if (tensor.numel() != 1 || rest.size() != tensor.sizes().size()) {
            throw_value_error("only one element tensors can be converted to Python scalars");
        }
        store(item(tensor), false);
    }
    void store(const Scalar& value, bool is_wrapped) {
        check_range(value, out_.dtype(), is_wrapped);
        visit_any_dtype(out_.dtype(), [&](auto type) {
            using T = typename decltype(type)::type;
            out_.data<T>()[next_++] = value.to<T>();
        });
    }

    Tensor out_;
    std::int64_t next_ = 0;
};

IValue listed(const Tensor& tensor, std::size_t dimension, std::int64_t offset) {
    if (dimension == tensor.sizes().size()) {
        return item_of(tensor.view_as_strided({}, {}, tensor.storage_offset() + offset));
    }
    std::vector<IValue> elements;
    const std::int64_t size = tensor.sizes()[dimension];
    elements.reserve(static_cast<std::size_t>(size));
    for (std::int64_t i = 0; i < size; ++i) {
        elements.push_back(listed(tensor, dimension + 1, offset + i * tensor.strides()[dimension]));
    }
    return make_list(std::move(elements));
}

}  // namespace

std::optional<Tensor> tensor_of_array(const IValue& value) {
    const auto* instance = object_as<Instance>(value);
    if (instance == nullptr || instance->cls()->module() != "numpy._array") return std::nullopt;
    const IValue* held = instance->attributes.find("_tensor");
    return held != nullptr && held->is_tensor() ? std::optional(held->to_tensor()) : std::nullopt;
}

Tensor tensor_from_data(const IValue& data, std::optional<ScalarType> dtype) {
    if (const auto array = tensor_of_array(data)) return tensor_from_data(IValue(*array), dtype);
    if (data.is_tensor()) {
        const GradModeScope no_grad(false);
        const Tensor source = detach(data.to_tensor());
        return with_python_errors([&] {
            return detach(dtype && *dtype != source.dtype() ? fn::to_dtype(source, static_cast<std::int64_t>(*dtype))
                                                            : fn::clone(source));
        });
    }
    if (data.is_string()) throw_type_error("new(): invalid data type 'str'");
    const Tree tree = tree_of(data, 0);
    Dims sizes;
    find_sizes(tree, sizes);
    if (first_leaf(tree).is_string()) throw_value_error("too many dimensions 'str'");
    const ScalarType type = dtype ? *dtype : inferred_dtype(tree).value_or(default_dtype());
    const Tensor out = empty(span_of(sizes), type);
    Filler(out).fill(tree, 0);
    return out;
}

Tensor index_from_data(const IValue& data) {
    const Tree tree = tree_of(data, 0);
    const auto type = inferred_dtype(tree);
    const bool is_mask = type == ScalarType::Bool || type == ScalarType::UInt8;
    return tensor_from_data(data, is_mask ? *type : ScalarType::Int64);
}

IValue to_list(const Tensor& tensor) { return listed(tensor, 0, 0); }

IValue item_of(const Tensor& tensor) {
    if (tensor.numel() != 1) throw_value_error("only one element tensors can be converted to Python scalars");
    if (tensor.dtype() == ScalarType::UInt64) return integer_of_unsigned(*on_host(tensor).data<std::uint64_t>());
    return item(tensor);
}

TensorList tensors_of(const IValue& value) {
    if (value.is_none()) return {};
    if (value.is_tensor()) return {value.to_tensor()};
    TensorList out;
    for (const IValue& element : to_vector(value)) {
        if (!element.is_tensor() && !element.is_none()) {
            throw_type_error(concat("expected Tensor, but got ", type_name(element)));
        }
        out.push_back(element.to_tensor());
    }
    return out;
}

}  // namespace loupe::python
