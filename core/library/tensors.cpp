// SPDX-License-Identifier: Apache-2.0
#include "core/library/tensors.h"

#include <ostream>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/plugin_list.h"
#include "core/python/language/error.h"
#include "core/python/language/operations.h"
#include "core/python/torch/torch_call.h"
#include "core/python/torch/torch_indexing.h"
#include "core/python/torch/torch_objects.h"
#include "core/python/torch/torch_print.h"
#include "core/tensor/copy_elements.h"

namespace loupe {
namespace {

// Kernels and operators of plugins count from the first call on.
template <typename Result = Tensor>
class LibraryCall {
  public:
    constexpr explicit LibraryCall(const char* name) : handle_(name) {}
    template <typename... Args>
    Result operator()(const Args&... args) const {
        plugins();
        return handle_(args...);
    }

  private:
    OperatorHandle<Result> handle_;
};

const LibraryCall<> kFull("aten::full");
const LibraryCall<> kArange("aten::arange.start_step");
const LibraryCall<> kRand("aten::rand");
const LibraryCall<> kRandn("aten::randn");
const LibraryCall<> kAdd("aten::add.Tensor");
const LibraryCall<> kSub("aten::sub.Tensor");
const LibraryCall<> kMul("aten::mul.Tensor");
const LibraryCall<> kDiv("aten::div.Tensor");
const LibraryCall<> kNeg("aten::neg");

IValue number_of(ScalarType dtype) { return static_cast<std::int64_t>(dtype); }

Tensor filled(const Dims& sizes, const Scalar& value, ScalarType dtype, Device device) {
    return kFull(IValue(sizes), IValue(value), number_of(dtype), IValue(), IValue(device));
}

struct ForeignMemory final : RefCounted {
    explicit ForeignMemory(std::function<void()> let_go) : release(std::move(let_go)) {}
    ~ForeignMemory() override {
        if (release) release();
    }
    const std::function<void()> release;
};

IValue key_of(const std::vector<Index>& indices) {
    std::vector<IValue> values;
    for (const Index& index : indices) values.push_back(index.value());
    return python::make_tuple(std::move(values));
}

// What Python would throw, as the engine's error: "index 5 is out of bounds for dimension 0 with size 2".
template <typename Work>
auto plainly(Work&& work) {
    plugins();
    try {
        return work();
    } catch (const python::PythonError& error) {
        const auto& arguments = error.exception()->args;
        throw Error(ErrorKind::Run, arguments.empty() ? error.message() : python_str(arguments[0]), error.context());
    }
}

IValue bound(std::optional<std::int64_t> value) { return value ? IValue(*value) : IValue(); }

}  // namespace

Tensor zeros(const Dims& sizes, ScalarType dtype, Device device) { return filled(sizes, 0, dtype, device); }
Tensor ones(const Dims& sizes, ScalarType dtype, Device device) { return filled(sizes, 1, dtype, device); }
Tensor full(const Dims& sizes, const Scalar& value, ScalarType dtype, Device device) {
    return filled(sizes, value, dtype, device);
}
Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step, std::optional<ScalarType> dtype) {
    return kArange(IValue(start), IValue(end), IValue(step), dtype ? number_of(*dtype) : IValue());
}
Tensor rand(const Dims& sizes, ScalarType dtype, Device device) {
    return kRand(IValue(sizes), number_of(dtype), IValue(), IValue(device));
}
Tensor randn(const Dims& sizes, ScalarType dtype, Device device) {
    return kRandn(IValue(sizes), number_of(dtype), IValue(), IValue(device));
}

Tensor from_memory(void* data, const Dims& sizes, ScalarType dtype, std::function<void()> release,
                   const Dims& strides) {
    if (!strides.empty() && strides.size() != sizes.size())
        throw Error(ErrorKind::Run,
                    concat("expected as many strides as sizes, got ", strides.size(), " and ", sizes.size()));
    const Dims used = strides.empty() ? contiguous_strides(span_of(sizes)) : strides;
    const std::int64_t numel = checked_numel(span_of(sizes));
    std::int64_t last = numel == 0 ? -1 : 0;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        if (used[d] < 0) throw Error(ErrorKind::Run, "strides must not be negative");
        if (numel != 0) last += (sizes[d] - 1) * used[d];
    }
    if (data == nullptr && numel != 0) throw Error(ErrorKind::Run, "a tensor with elements needs memory");
    Ptr<TensorImpl> impl(new TensorImpl);
    impl->storage = Storage::view_of(data, static_cast<std::size_t>((last + 1) * element_size(dtype)),
                                     make_ptr<ForeignMemory>(std::move(release)));
    impl->dtype = dtype;
    impl->set_sizes_strides(span_of(sizes), span_of(used));
    return Tensor(std::move(impl));
}

namespace detail {
Tensor elements_on_host(const Tensor& t, ScalarType dtype) {
    if (!t.defined()) throw Error(ErrorKind::Run, "an undefined tensor has no elements");
    if (t.dtype() != dtype)
        throw Error(ErrorKind::Run,
                    concat("expected elements of ", dtype_name(dtype), ", got ", dtype_name(t.dtype())));
    return copy_elements(t);
}
}  // namespace detail

Index::Index(const Slice& slice)
    : value_(IValue::other(make_ptr<python::SliceObject>(bound(slice.start), bound(slice.stop), bound(slice.step)))) {}
Index Index::ellipsis() { return Index(python::ellipsis()); }

Tensor index(const Tensor& t, const std::vector<Index>& indices) {
    return plainly([&] { return python::tensor_item(t, key_of(indices)).to_tensor(); });
}
void set_index(const Tensor& t, const std::vector<Index>& indices, const IValue& value) {
    plainly([&] { python::set_tensor_item(t, key_of(indices), value); });
}

IValue call(std::string_view name, std::vector<IValue> arguments,
            std::vector<std::pair<std::string, IValue>> keywords) {
    return plainly([&] { return python::call_function(name, std::move(arguments), std::move(keywords)); });
}
IValue dtype_value(ScalarType dtype) { return python::dtype_object(dtype); }

Tensor operator+(const Tensor& a, const Tensor& b) { return kAdd(a, b); }
Tensor operator-(const Tensor& a, const Tensor& b) { return kSub(a, b); }
Tensor operator*(const Tensor& a, const Tensor& b) { return kMul(a, b); }
Tensor operator/(const Tensor& a, const Tensor& b) { return kDiv(a, b); }
Tensor operator+(const Tensor& a, const Scalar& b) { return kAdd(a, wrapped_number(b)); }
Tensor operator-(const Tensor& a, const Scalar& b) { return kSub(a, wrapped_number(b)); }
Tensor operator*(const Tensor& a, const Scalar& b) { return kMul(a, wrapped_number(b)); }
Tensor operator/(const Tensor& a, const Scalar& b) { return kDiv(a, wrapped_number(b)); }
Tensor operator+(const Scalar& a, const Tensor& b) { return kAdd(wrapped_number(a), b); }
Tensor operator-(const Scalar& a, const Tensor& b) { return kSub(wrapped_number(a), b); }
Tensor operator*(const Scalar& a, const Tensor& b) { return kMul(wrapped_number(a), b); }
Tensor operator/(const Scalar& a, const Tensor& b) { return kDiv(wrapped_number(a), b); }
Tensor operator-(const Tensor& t) { return kNeg(t); }

std::string str(const Tensor& t) { return t.defined() ? python::tensor_repr(t) : "None"; }
std::ostream& operator<<(std::ostream& out, const Tensor& t) { return out << str(t); }

}  // namespace loupe
