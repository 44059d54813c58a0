// SPDX-License-Identifier: Apache-2.0
#include "core/passes/fake_run.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <mutex>

#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/base/error.h"
#include "core/dispatch/dispatch.h"
#include "core/dispatch/functions.h"
#include "core/ops/random/mersenne_twister.h"
#include "core/passes/constant_propagation.h"
#include "core/passes/graph_breaks.h"

namespace loupe::passes {
namespace {

using ir::Node;
namespace prim = ir::prim;

// Small tensors may be read (indices, lengths) and are separate zeros.
constexpr std::size_t kFewBytes = 4096;
constexpr std::size_t kMostBytes = std::size_t{1} << 40;

// Address space, committed on write.
void* reserved(std::size_t bytes) {
    return ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}
void* shared_memory() {
    static void* const memory = reserved(kMostBytes);
    return memory;
}

bool lies_in(const void* at, const void* memory, std::size_t bytes) {
    if (memory == MAP_FAILED) return false;
    const auto address = reinterpret_cast<std::uintptr_t>(at), begin = reinterpret_cast<std::uintptr_t>(memory);
    return address >= begin && address - begin < bytes;
}

// Places of small fakes, each its own.
class SmallPlaces {
  public:
    static SmallPlaces& instance() {
        static SmallPlaces places;
        return places;
    }

    // Null when all are taken.
    std::byte* take() {
        const std::lock_guard lock(mutex_);
        if (!free_.empty()) {
            std::byte* place = free_.back();
            free_.pop_back();
            return place;
        }
        if (memory_ == MAP_FAILED || used_ == kPlaces) return nullptr;
        return static_cast<std::byte*>(memory_) + kFewBytes * used_++;
    }
    void give_back(std::byte* place) {
        const std::lock_guard lock(mutex_);
        free_.push_back(place);
    }
    bool holds(const void* at) const { return lies_in(at, memory_, kFewBytes * kPlaces); }

  private:
    static constexpr std::size_t kPlaces = 1 << 20;
    void* const memory_ = reserved(kFewBytes * kPlaces);
    std::mutex mutex_;
    std::vector<std::byte*> free_;
    std::size_t used_ = 0;
};

class SmallPlace final : public RefCounted {
  public:
    explicit SmallPlace(std::byte* place) : place_(place) {}
    ~SmallPlace() override { SmallPlaces::instance().give_back(place_); }

  private:
    std::byte* place_;
};

// A fake's elements were asked for.
struct ElementsNeeded {};

// More elements are not computed: no shape needs them.
constexpr std::int64_t kFewElements = 512;

// Elements from the first to the last that strides lead to.
std::int64_t extent(IntSpan sizes, IntSpan strides) {
    std::int64_t last = 0;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        if (sizes[d] == 0) return 0;
        last += (sizes[d] - 1) * strides[d];
    }
    return last + 1;
}

bool reads_fake(std::span<const IValue> arguments) {
    bool reads = false;
    for (const IValue& argument : arguments) {
        visit_tensors(argument,
                      [&](const Tensor& t) { reads = reads || (t.defined() && t.is_host_memory() && is_fake(t)); });
    }
    return reads;
}

}  // namespace

Tensor fake_tensor(IntSpan sizes, ScalarType dtype, IntSpan strides) {
    const Dims dense = strides.size() == sizes.size() ? to_dims(strides) : contiguous_strides(sizes);
    const auto bytes = static_cast<std::size_t>(std::max<std::int64_t>(0, extent(sizes, span_of(dense)))) *
                       static_cast<std::size_t>(element_size(dtype));
    Ptr<TensorImpl> impl(new TensorImpl);
    std::byte* const small = bytes <= kFewBytes ? SmallPlaces::instance().take() : nullptr;
    if (small != nullptr) {
        std::memset(small, 0, bytes);
        impl->storage = Storage::view_of(small, bytes, make_ptr<SmallPlace>(small));
    } else if (shared_memory() == MAP_FAILED) {
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

bool is_fake(const Tensor& tensor) {
    const void* at = tensor.storage()->address();
    return SmallPlaces::instance().holds(at) || lies_in(at, shared_memory(), kMostBytes);
}

void require_elements(const Tensor& tensor) {
    if (is_fake(tensor)) throw ElementsNeeded{};
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

namespace {

// From a few elements that are known, to few.
bool can_compute(std::span<const IValue> arguments, const MetaList& metas) {
    bool reads_tensor = false;
    bool reads_fake = false;
    std::int64_t elements = 0;
    for (const IValue& argument : arguments) {
        visit_tensors(argument, [&](const Tensor& t) {
            if (!t.defined()) return;
            reads_tensor = true;
            reads_fake = reads_fake || !t.is_host_memory() || is_fake(t);
            elements += t.numel();
        });
    }
    for (const TensorMeta& meta : metas) {
        if (!meta.device.is_cpu()) return false;
        std::int64_t count = 1;
        for (const std::int64_t size : meta.sizes)
            count = std::min(count * std::min(size, kFewElements + 1), kFewElements + 1);
        elements += count;
    }
    return reads_tensor && !reads_fake && elements <= kFewElements;
}

}  // namespace

bool FakeKernels::run(const Operator& op, std::span<const IValue> arguments, IValue* results) {
    if (op.variant != OperatorVariant::Functional || op.is_view || op.written_arguments != 0 ||
        op.written_elements != 0)
        return false;
    if (op.record->infer == nullptr) return false;
    MetaList metas;
    op.record->infer(arguments, metas);
    if (metas.size() != op.result_count()) return false;
    if (can_compute(arguments, metas)) return false;
    for (std::size_t i = 0; i < metas.size(); ++i)
        results[i] = fake_tensor(span_of(metas[i].sizes), metas[i].dtype, span_of(metas[i].strides));
    return true;
}

namespace {

// Within a kernel that runs on fakes: indexing asks for the true elements of a mask.
class ElementsInside final : public DispatchInterceptor {
  public:
    bool run(const Operator& op, std::span<const IValue> arguments, IValue*) override {
        if (op.record->results_from == ResultsFrom::Elements && reads_fake(arguments)) throw ElementsNeeded{};
        return false;
    }
    DispatchInterceptor* inside() override { return this; }
};

// What reads elements of fakes ends the run.
class CheckedFakes final : public DispatchInterceptor {
  public:
    bool run(const Operator& op, std::span<const IValue> arguments, IValue* results) override {
        if (!op.is_composite() && results_need_elements(op) && reads_fake(arguments)) throw ElementsNeeded{};
        return fakes_.run(op, arguments, results);
    }
    DispatchInterceptor* inside() override { return &inside_; }

  private:
    FakeKernels fakes_;
    ElementsInside inside_;
};

constexpr const char* kUnknown = "sizes from here on depend on what tensors hold";
// What has no rule for its sizes is computed, of so many elements at most.
constexpr std::int64_t kMostComputed = std::int64_t{1} << 24;

bool is_much(std::span<const IValue> arguments) {
    std::int64_t elements = 0;
    for (const IValue& argument : arguments)
        visit_tensors(argument, [&](const Tensor& t) { elements += t.defined() ? t.numel() : 0; });
    return elements > kMostComputed;
}

}  // namespace

class DryKernels::Inside final : public DispatchInterceptor {
  public:
    bool run(const Operator& op, std::span<const IValue> arguments, IValue*) override {
        if (op.record->results_from == ResultsFrom::Elements && reads_fake(arguments))
            throw Error(ErrorKind::Run, kUnknown);
        return false;
    }
    DispatchInterceptor* inside() override { return this; }
};

DryKernels::DryKernels() : inside_(std::make_unique<Inside>()) {}
DryKernels::~DryKernels() = default;
DispatchInterceptor* DryKernels::inside() { return inside_.get(); }

bool DryKernels::run(const Operator& op, std::span<const IValue> arguments, IValue* results) {
    const bool reads = reads_fake(arguments);
    if (!reads) return fakes_.run(op, arguments, results);
    if (!op.is_composite() && results_need_elements(op)) throw Error(ErrorKind::Run, kUnknown);
    if (op.record->infer == nullptr && !op.is_composite() && !op.is_view && is_much(arguments))
        throw Error(ErrorKind::Run, "sizes from here on take computing");
    bool writes_real = false;
    for (std::uint64_t bits = op.written_arguments; bits != 0; bits &= bits - 1) {
        const IValue& written = arguments[static_cast<std::size_t>(__builtin_ctzll(bits))];
        writes_real = writes_real || (written.is_tensor() && !is_fake(written.to_tensor()));
    }
    if (!writes_real) return fakes_.run(op, arguments, results);
    for (std::size_t i = 0; i < op.result_count(); ++i) {
        const int source = op.result_alias[i];
        if (source < 0) throw Error(ErrorKind::Run, kUnknown);
        results[i] = arguments[static_cast<std::size_t>(source)];
    }
    return true;
}

namespace {

// Random numbers are not drawn for fakes: it would advance the generator.
std::optional<std::vector<IValue>> dropped_fake(const Operator& op, std::span<const IValue> inputs) {
    const bool is_dropout = !op.record->identity_without.empty() && op.written_arguments == 0;
    if (!is_dropout || !inputs[0].is_tensor()) return std::nullopt;
    const Tensor t = inputs[0].to_tensor();
    const bool keeps_order = t.is_non_overlapping_and_dense();
    return std::vector<IValue>{fake_tensor(t.sizes(), t.dtype(), keeps_order ? t.strides() : IntSpan())};
}

}  // namespace

std::optional<std::vector<IValue>> run_on_fakes(const Operator& op, std::span<const IValue> inputs) {
    if (auto results = dropped_fake(op, inputs)) return results;
    std::optional<DefaultGeneratorScope> own;
    if (op.record->is_random) own.emplace(make_ptr<MersenneTwister>());
    const ObserverScope unobserved(nullptr);
    CheckedFakes kernels;
    const InterceptorScope scope(&kernels);
    std::vector<IValue> results(op.result_count());
    try {
        call_operator(op, inputs, results.data());
    } catch (const ElementsNeeded&) {
        return std::nullopt;
    }
    return results;
}

std::optional<std::vector<IValue>> run_on_fakes(const Node* node, const std::vector<IValue>& inputs) {
    if (node->block_count() > 0 || node->has_attribute(ir::attr::Subgraph)) return std::nullopt;
    if (auto results = evaluate_structure(node, inputs)) return results;
    const Operator* op = node->op();
    if (op == nullptr || node->has_side_effects()) return std::nullopt;
    return run_on_fakes(*op, inputs);
}

}  // namespace loupe::passes
