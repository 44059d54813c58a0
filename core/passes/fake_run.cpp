// SPDX-License-Identifier: Apache-2.0
#include "core/passes/fake_run.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <unordered_set>

#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/base/error.h"
#include "core/dispatch/dispatch.h"
#include "core/dispatch/functions.h"
#include "core/ops/random/mersenne_twister.h"
#include "core/passes/constant_propagation.h"

namespace loupe::passes {
namespace {

using ir::Node;
namespace prim = ir::prim;

// Small tensors may be read (indices, lengths) and are separate zeros.
constexpr std::size_t kFewBytes = 4096;
constexpr std::size_t kMostBytes = std::size_t{1} << 40;

// Address space, committed on write.
void* shared_memory() {
    static void* const memory =
        ::mmap(nullptr, kMostBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory;
}

// Elements from the first to the last that strides lead to.
std::int64_t extent(IntSpan sizes, IntSpan strides) {
    std::int64_t last = 0;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        if (sizes[d] == 0) return 0;
        last += (sizes[d] - 1) * strides[d];
    }
    return last + 1;
}

// Their results depend on elements, or differ each time.
bool depends_on_elements(const Operator& op) {
    static const std::unordered_set<std::string_view> kNames = {"aten::item",
                                                                "aten::_local_scalar_dense",
                                                                "aten::nonzero",
                                                                "aten::masked_select",
                                                                "aten::equal",
                                                                "aten::is_nonzero",
                                                                "aten::unique_consecutive",
                                                                "aten::_unique",
                                                                "aten::_unique2",
                                                                "aten::unique_dim",
                                                                "aten::allclose",
                                                                "aten::bincount",
                                                                "aten::repeat_interleave",
                                                                "aten::Int",
                                                                "aten::Float",
                                                                "aten::Bool",
                                                                "aten::Complex",
                                                                "aten::IntImplicit",
                                                                "aten::FloatImplicit",
                                                                "aten::ScalarImplicit",
                                                                "aten::argwhere",
                                                                "aten::nonzero_numpy"};
    return kNames.contains(op.schema.name) && op.tensor_arguments != 0;
}

}  // namespace

Tensor fake_tensor(IntSpan sizes, ScalarType dtype, IntSpan strides) {
    const Dims dense = strides.size() == sizes.size() ? to_dims(strides) : contiguous_strides(sizes);
    const auto bytes = static_cast<std::size_t>(std::max<std::int64_t>(0, extent(sizes, span_of(dense)))) *
                       static_cast<std::size_t>(element_size(dtype));
    Ptr<TensorImpl> impl(new TensorImpl);
    if (bytes <= kFewBytes || shared_memory() == MAP_FAILED) {
        impl->storage = Storage::allocate(bytes);
        if (bytes > 0) std::memset(impl->storage->data(), 0, bytes);
    } else {
        if (bytes > kMostBytes) throw Error(ErrorKind::Run, "a tensor that no memory holds");
        static const Ptr<RefCounted> kOwner = make_ptr<RefCounted>();  // of memory that is never freed
        impl->storage = Storage::view_of(shared_memory(), bytes, kOwner);
    }
    impl->dtype = dtype;
    impl->set_sizes_strides(sizes, span_of(dense));
    return Tensor(std::move(impl));
}

Tensor fake_of(const TensorType& type) {
    if (!type.dtype || !type.sizes || (type.device && type.device->type != DeviceType::Cpu)) return {};
    Dims sizes;
    for (const auto& size : *type.sizes) {
        if (!size || *size < 0) return {};
        sizes.push_back(*size);
    }
    Dims strides;
    if (type.strides && type.strides->size() == sizes.size()) {
        for (const auto& stride : *type.strides) {
            if (stride) strides.push_back(*stride);
        }
    }
    return fake_tensor(span_of(sizes), *type.dtype, span_of(strides));
}

bool FakeKernels::run(const Operator& op, std::span<const IValue> arguments, IValue* results) {
    if (op.variant != OperatorVariant::Functional || op.is_view || op.written_arguments != 0 ||
        op.written_elements != 0)
        return false;
    if (op.record->infer == nullptr) return false;
    MetaList metas;
    op.record->infer(arguments, metas);
    if (metas.size() != op.result_count()) return false;
    for (std::size_t i = 0; i < metas.size(); ++i)
        results[i] = fake_tensor(span_of(metas[i].sizes), metas[i].dtype, span_of(metas[i].strides));
    return true;
}

namespace {

// Random numbers are not drawn for fakes: it would advance the generator.
std::optional<std::vector<IValue>> dropped_fake(const Node* node, const std::vector<IValue>& inputs) {
    const bool is_dropout = node->is("aten::dropout") || node->is("aten::feature_dropout") ||
                            node->is("aten::alpha_dropout") || node->is("aten::feature_alpha_dropout");
    if (!is_dropout || !inputs[0].is_tensor()) return std::nullopt;
    const Tensor t = inputs[0].to_tensor();
    const bool keeps_order = t.is_non_overlapping_and_dense();
    return std::vector<IValue>{fake_tensor(t.sizes(), t.dtype(), keeps_order ? t.strides() : IntSpan())};
}

}  // namespace

std::optional<std::vector<IValue>> run_on_fakes(const Node* node, const std::vector<IValue>& inputs) {
    if (node->block_count() > 0 || node->has_attribute(ir::attr::Subgraph)) return std::nullopt;
    if (auto results = evaluate_structure(node, inputs)) return results;
    const Operator* op = node->op();
    if (op == nullptr || node->has_side_effects() || depends_on_elements(*op)) return std::nullopt;
    if (auto results = dropped_fake(node, inputs)) return results;
    std::optional<DefaultGeneratorScope> own;
    if (node->is_random()) own.emplace(make_ptr<MersenneTwister>());
    const ObserverScope unobserved(nullptr);
    FakeKernels kernels;
    const StandInScope scope(&kernels);
    std::vector<IValue> results(op->result_count());
    call_operator(*op, inputs, results.data());
    return results;
}

}  // namespace loupe::passes
