// SPDX-License-Identifier: Apache-2.0
#include <loupe_torch/ivalue.h>
#include <loupe_torch/tensor.h>

#include <iostream>

#include "core/autograd/engine.h"
#include "core/autograd/variable.h"
#include "core/base/strings.h"
#include "core/dispatch/plugin_list.h"
#include "core/library/tensors.h"
#include "core/library/torch/call.h"
#include "core/nn/module.h"
#include "core/ops/numbers/text.h"
#include "core/ops/random/mersenne_twister.h"

#include <loupe_torch/autograd.h>
#include <loupe_torch/functions.h>

using namespace loupe::torch_api;

namespace at {
namespace {

// Throws c10::Error for an undefined tensor.
const loupe::Tensor& engine_of(const Tensor& tensor) {
    if (!tensor.defined()) throw c10::Error("an undefined tensor has no elements");
    return tensor.engine();
}

c10::IntArrayRef span_of(loupe::IntSpan values) { return {values.data(), values.size()}; }

std::vector<loupe::Index> keys_of(c10::ArrayRef<indexing::TensorIndex> indices);

}  // namespace

namespace indexing {

TensorIndex::TensorIndex(EllipsisIndexType) : key_(loupe::Index::ellipsis().value()) {}
TensorIndex::TensorIndex(const char* text) {
    if (std::string_view(text) != "...")
        throw c10::Error(loupe::concat("Expected \"...\" to represent an ellipsis index, but got \"", text, "\""));
    key_ = loupe::Index::ellipsis().value();
}
TensorIndex::TensorIndex(const Slice& slice)
    : key_(loupe::Index(loupe::Slice(slice.start, slice.stop, slice.step)).value()) {}
TensorIndex::TensorIndex(const Tensor& tensor) : key_(tensor.engine()) {}

}  // namespace indexing

namespace {
std::vector<loupe::Index> keys_of(c10::ArrayRef<indexing::TensorIndex> indices) {
    std::vector<loupe::Index> keys;
    for (const indexing::TensorIndex& each : indices) keys.push_back(loupe::Index::of_value(each.key()));
    return keys;
}
}  // namespace

Tensor& Tensor::operator=(const Tensor& other) && { return copy_(other); }
Tensor& Tensor::operator=(Tensor&& other) && { return copy_(other); }
Tensor& Tensor::operator=(const Scalar& value) && { return fill_(value); }

std::size_t Tensor::use_count() const { return defined() ? engine_.impl()->use_count() : 0; }
std::int64_t Tensor::dim() const { return engine_of(*this).dim(); }
std::int64_t Tensor::numel() const { return engine_of(*this).numel(); }
std::int64_t Tensor::size(std::int64_t dim) const {
    return translated([&] { return engine_of(*this).size(dim); });
}
std::int64_t Tensor::stride(std::int64_t dim) const {
    return translated([&] { return engine_of(*this).stride(dim); });
}
IntArrayRef Tensor::sizes() const { return span_of(engine_of(*this).sizes()); }
IntArrayRef Tensor::strides() const { return span_of(engine_of(*this).strides()); }
std::int64_t Tensor::storage_offset() const { return engine_of(*this).storage_offset(); }
std::size_t Tensor::nbytes() const { return engine_of(*this).bytes(); }
std::int64_t Tensor::element_size() const { return engine_of(*this).element_size(); }
bool Tensor::is_contiguous(MemoryFormat format) const {
    const loupe::Tensor& t = engine_of(*this);
    return format == MemoryFormat::ChannelsLast || format == MemoryFormat::ChannelsLast3d ? t.is_channels_last()
                                                                                          : t.is_contiguous();
}
bool Tensor::is_non_overlapping_and_dense() const { return engine_of(*this).is_non_overlapping_and_dense(); }

ScalarType Tensor::scalar_type() const { return defined() ? torch_dtype(engine_.dtype()) : ScalarType::Undefined; }
Device Tensor::device() const { return torch_device(engine_of(*this).device()); }
Layout Tensor::layout() const { return is_sparse() ? Layout::Sparse : Layout::Strided; }
TensorOptions Tensor::options() const { return TensorOptions().dtype(scalar_type()).device(device()).layout(layout()); }
bool Tensor::is_sparse() const { return engine_of(*this).is_sparse(); }
bool Tensor::is_floating_point() const { return loupe::is_floating(engine_of(*this).dtype()); }
bool Tensor::is_complex() const { return loupe::is_complex(engine_of(*this).dtype()); }
bool Tensor::is_leaf() const { return loupe::is_leaf(engine_of(*this)); }

void* Tensor::data_ptr() const {
    const loupe::Tensor& t = engine_of(*this);
    return t.numel() == 0 ? nullptr : t.address();
}
void Tensor::check_dtype(ScalarType wanted) const {
    if (scalar_type() != wanted)
        throw c10::Error(
            loupe::concat("expected scalar type ", c10::toString(wanted), " but found ", c10::toString(scalar_type())));
}
void Tensor::check_accessor(std::size_t dims) const {
    if (static_cast<std::int64_t>(dims) != dim())
        throw c10::Error(loupe::concat("TensorAccessor expected ", dims, " dims but tensor has ", dim()));
}

Scalar Tensor::item() const {
    return translated([&] { return Scalar(loupe::item(engine_of(*this))); });
}

Tensor Tensor::contiguous(MemoryFormat format) const {
    static const Operator op("aten::contiguous");
    const loupe::IValue arguments[] = {engine_of(*this), box(format)};
    return op.call<Tensor>(arguments);
}
Tensor Tensor::operator[](std::int64_t index) const { return select(0, index); }
Tensor Tensor::index(ArrayRef<indexing::TensorIndex> indices) const {
    return translated([&] { return Tensor(loupe::index(engine_of(*this), keys_of(indices))); });
}
Tensor& Tensor::index_put_(ArrayRef<indexing::TensorIndex> indices, const Tensor& value) {
    translated([&] { loupe::set_index(engine_of(*this), keys_of(indices), value.engine()); });
    return *this;
}
Tensor& Tensor::index_put_(ArrayRef<indexing::TensorIndex> indices, const Scalar& value) {
    translated([&] { loupe::set_index(engine_of(*this), keys_of(indices), value.engine()); });
    return *this;
}

bool Tensor::requires_grad() const { return loupe::requires_grad(engine_of(*this)); }
const Tensor& Tensor::set_requires_grad(bool value) const {
    translated([&] { loupe::set_requires_grad(engine_of(*this), value); });
    return *this;
}
Tensor& Tensor::requires_grad_(bool value) const { return const_cast<Tensor&>(set_requires_grad(value)); }
// A Tensor is nothing but its handle of the engine, so that the engine's gradient is one too.
static_assert(std::is_standard_layout_v<Tensor> && sizeof(Tensor) == sizeof(loupe::Tensor));
const Tensor& Tensor::grad() const {
    static const Tensor none;
    loupe::AutogradMeta* meta = loupe::autograd_meta(engine_of(*this));
    return meta == nullptr ? none : reinterpret_cast<const Tensor&>(meta->grad);
}
Tensor& Tensor::mutable_grad() const {
    return reinterpret_cast<Tensor&>(loupe::ensure_autograd_meta(engine_of(*this)).grad);
}
std::shared_ptr<torch::autograd::Node> Tensor::grad_fn() const {
    auto node = loupe::grad_fn(engine_of(*this));
    return node == nullptr ? nullptr : std::make_shared<torch::autograd::Node>(std::move(node));
}
bool Tensor::is_view() const {
    const loupe::AutogradMeta* meta = loupe::autograd_meta(engine_of(*this));
    return meta != nullptr && meta->view.has_value();
}
void Tensor::backward(const Tensor& gradient, std::optional<bool> retain_graph, bool create_graph,
                      std::optional<TensorList> inputs) const {
    loupe::TensorList gradients;
    if (gradient.defined()) gradients.push_back(gradient.engine());
    const loupe::BackwardOptions options{.retain_graph = retain_graph.value_or(create_graph),
                                         .create_graph = create_graph};
    translated([&] {
        if (!inputs) return loupe::backward({engine_of(*this)}, gradients, options);
        loupe::TensorList into;
        for (const Tensor& each : *inputs) into.push_back(each.engine());
        loupe::backward_into({engine_of(*this)}, into, gradients, options);
    });
}
void Tensor::retain_grad() const {
    translated([&] { loupe::retain_grad(engine_of(*this)); });
}
Tensor Tensor::tensor_data() const { return Tensor(engine_of(*this).shallow_copy()); }
void Tensor::set_data(const Tensor& other) const { engine_of(*this).set_metadata_from(engine_of(other)); }
std::int64_t Tensor::_version() const { return engine_of(*this).version(); }
unsigned Tensor::add_hook(std::function<Tensor(const Tensor&)> hook) const {
    translated([&] {
        loupe::register_hook(engine_of(*this), [hook = std::move(hook)](const loupe::Tensor& gradient) {
            return hook(Tensor(gradient)).engine();
        });
    });
    return 0;
}
std::string Tensor::toString() const {
    // "CPUFloatType"
    return defined()
               ? loupe::concat(loupe::device_type_constant(engine_.device().type), c10::toString(scalar_type()), "Type")
               : "UndefinedType";
}
void Tensor::print() const {
    std::cerr << '[' << toString();
    if (defined()) std::cerr << ' ' << sizes();
    std::cerr << "]\n";
}

std::ostream& operator<<(std::ostream& out, const Tensor& tensor) {
    return out << translated([&] { return loupe::numbers::stream_text(tensor.engine()); });
}

Tensor operator+(const Scalar& a, const Tensor& b) { return b.add(a); }
Tensor operator-(const Scalar& a, const Tensor& b) {
    return translated([&] { return Tensor(a.engine() - b.engine()); });
}
Tensor operator*(const Scalar& a, const Tensor& b) { return b.mul(a); }
Tensor operator/(const Scalar& a, const Tensor& b) { return b.reciprocal().mul_(a); }

void Generator::set_current_seed(std::uint64_t seed) { engine_.to_other_as<loupe::Generator>()->set_seed(seed); }
std::uint64_t Generator::current_seed() const { return engine_.to_other_as<loupe::Generator>()->seed(); }
namespace detail {
Generator createCPUGenerator(std::uint64_t seed) {
    return Generator(loupe::IValue::other(loupe::make_ptr<loupe::MersenneTwister>(seed)));
}
}  // namespace detail
void manual_seed(std::uint64_t seed) {
    loupe::plugins();
    loupe::seed_generators(seed);
}

}  // namespace at
