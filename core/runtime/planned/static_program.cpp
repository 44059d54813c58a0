// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/planned/static_program.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <memory>

#include "core/autograd/grad_mode.h"
#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/dispatch/bound_kernel.h"
#include "core/dispatch/dispatch.h"
#include "core/runtime/planned/program_layout.h"
#include "core/runtime/planned/step_memory.h"
#include "core/tensor/memory_source.h"

namespace loupe::runtime {
namespace {

using Place = ProgramLayout::Place;

const Ptr<Storage>& no_storage() {
    static const Ptr<Storage> kNothing = Storage::view_of(nullptr, 0, make_ptr<RefCounted>());
    return kNothing;
}

// The block that a thread's programs share: they run in sequence, and its contents do not outlive a run.
struct ThreadArena {
    Ptr<Storage> block;
    bool is_used = false;

    static std::shared_ptr<ThreadArena> get() {
        thread_local std::weak_ptr<ThreadArena> arena;  // freed with its last program
        std::shared_ptr<ThreadArena> found = arena.lock();
        if (!found) arena = found = std::make_shared<ThreadArena>();
        return found;
    }
};

// Memory of an earlier result, reused when it has no other reference.
struct ResultPool {
    static constexpr std::size_t kMost = 4;
    std::size_t bytes = 0;
    std::vector<Ptr<Storage>> kept;

    Ptr<Storage> take() {
        for (const Ptr<Storage>& storage : kept) {
            if (storage->use_count() == 1) return storage;
        }
        const MemoryCategoryScope category(MemoryCategory::Activation);
        Ptr<Storage> storage = Storage::allocate(bytes);
        if (kept.size() < kMost) kept.push_back(storage);
        return storage;
    }
};

struct BoundStep {
    enum class Kind : std::uint8_t { Fill, Own, Write, Group };
    Kind kind = Kind::Fill;
    const Operator* op = nullptr;
    const std::vector<KernelCandidate>* candidates = nullptr;
    const KernelCandidate* preferred = nullptr;
    Ptr<BoundKernel> bound;  // instead of the candidates
    Ptr<FusedGroup> group;
    Ptr<const RefCounted> group_plan;
    std::vector<IValue> arguments;
    std::vector<IValue> results;   // Fill and Group: preallocated; Own and Write: slots
    std::vector<std::size_t> own;  // Own: the buffers of the results' tensors in order
};

bool takes(const KernelCandidate& candidate, const BoundStep& step) {
    return candidate.accepts == nullptr || candidate.accepts(step.arguments, nullptr);
}

const KernelCandidate* choose(const BoundStep& step) {
    if (step.preferred != nullptr && takes(*step.preferred, step)) return step.preferred;
    for (const KernelCandidate& candidate : *step.candidates) {
        if (takes(candidate, step)) return &candidate;
    }
    return nullptr;
}

// The best of a few.
double time_kernel(const KernelCandidate& candidate, BoundStep& step) {
    constexpr int kTimes = 4;  // the first fills caches
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i < kTimes; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        candidate.kernel(step.arguments, step.results.data());
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    return best;
}

const KernelCandidate& chosen(const BoundStep& step) {
    if (const KernelCandidate* candidate = choose(step)) return *candidate;
    throw Error(ErrorKind::Run, "no kernel takes the arguments");
}

}  // namespace

class StaticProgram::State {
  public:
    explicit State(const Capture& capture)
        : layout_(lay_out(capture)),
          guards_(capture.guards),
          tensors_(capture.tensors.size()),
          outputs_(capture.outputs),
          memory_(layout_.steps.size()),
          pools_(capture.buffers.size()),
          of_buffer_(capture.buffers.size()) {
        for (const CapturedBuffer& buffer : capture.buffers) bytes_.push_back(buffer.bytes);
        for (std::size_t b = 0; b < pools_.size(); ++b) pools_[b].bytes = bytes_[b];
        find_inputs(capture);
        for (const std::size_t s : layout_.steps) bind(capture, capture.steps[s]);
        for (IValue& output : outputs_) output = bound_value(capture, output);
        find_results(capture);
        plan_ = plan_program(capture);
        lay_buffers(capture);
        take_arena();
        for (BoundStep& step : steps_) bind_kernel(step);
        shared_->is_used = false;
    }

    bool holds() const {
        return std::all_of(guards_.begin(), guards_.end(), [](const AttributeGuard& guard) {
            return guard.slot < guard.object->slot_count() && guard.object->slot(guard.slot).is_same(guard.value);
        });
    }

    bool run(std::span<const IValue> inputs, IValue* outputs) {
        const GradModeScope no_grad(false);
        const ReleaseScope release(*this);
        take_arena();
        take_inputs(inputs);
        take_results();
        {
            const MemorySourceScope source(&memory_);
            for (std::size_t i = 0; i < steps_.size(); ++i) {
                check_cancelled();
                memory_.begin(i);
                run_step(steps_[i]);
                if (!memory_.end(own_results_)) return leave_arena();
            }
        }
        for (std::size_t i = 0; i < outputs_.size(); ++i) outputs[i] = output_value(outputs_[i]);
        return true;
    }

    std::vector<std::string> tune(std::span<const IValue> inputs) {
        const GradModeScope no_grad(false);
        const ReleaseScope release(*this);
        take_arena();
        take_inputs(inputs);
        take_results();
        std::vector<std::string> backends;
        for (std::size_t i = 0; i < steps_.size(); ++i) {
            check_cancelled();
            backends.push_back(fastest(steps_[i]));
            run_step(steps_[i]);
        }
        return backends;
    }

    void prefer(const std::vector<std::string>& backends) {
        for (std::size_t i = 0; i < steps_.size() && i < backends.size(); ++i) {
            BoundStep& step = steps_[i];
            if (step.kind != BoundStep::Kind::Fill || backends[i].empty()) continue;
            for (const KernelCandidate& candidate : *step.candidates) {
                if (candidate.backend == backends[i]) set_preferred(step, candidate);
            }
        }
    }

    // After a run: allocations of kernels become part of the plan. False when planned memory is still referenced.
    bool settle() {
        if (!memory_.is_recording()) return memory_.is_free() || leave_arena();
        plan_scratch();
        return true;
    }

    const ProgramPlan& plan() const { return plan_; }
    std::size_t unplanned() const { return memory_.unplanned(); }

  private:
    // Drops the program's references of a finished run.
    class ReleaseScope {
      public:
        explicit ReleaseScope(State& state) : state_(state) {}
        ReleaseScope(const ReleaseScope&) = delete;
        ReleaseScope& operator=(const ReleaseScope&) = delete;
        ~ReleaseScope() { state_.release(); }

      private:
        State& state_;
    };

    // --- binding ---

    struct Input {
        std::size_t tensor;  // in the inputs, flattened
        std::size_t buffer;
        std::int64_t offset;  // of the capture
    };

    void find_inputs(const Capture& capture) {
        for (std::size_t i = 0; i < capture.inputs.size(); ++i) {
            const std::size_t buffer = buffer_of(capture, capture.inputs[i]);
            input_places_.push_back(capture.places.at(capture.inputs[i].impl()));
            const bool is_known =
                std::any_of(inputs_.begin(), inputs_.end(), [&](const Input& input) { return input.buffer == buffer; });
            if (!is_known) inputs_.push_back({i, buffer, capture.inputs[i].storage_offset()});
        }
    }

    bool is_input(std::size_t buffer) const {
        return std::any_of(inputs_.begin(), inputs_.end(), [&](const Input& input) { return input.buffer == buffer; });
    }

    // The program's tensor for one of the capture. Inputs and results get separate objects.
    const Tensor& bound_tensor(const Capture& capture, const Tensor& captured) {
        const std::size_t place = capture.places.at(captured.impl());
        Tensor& bound = tensors_[place];
        if (bound.defined()) return bound;
        const std::size_t buffer = capture.tensors[place].buffer;
        if (layout_.buffers[buffer].place == Place::Outside && !is_input(buffer)) return bound = captured;
        Ptr<TensorImpl> impl(new TensorImpl);
        impl->storage = no_storage();
        impl->offset = captured.storage_offset();
        impl->dtype = captured.dtype();
        impl->wrapped_number = captured.impl()->wrapped_number;
        impl->set_sizes_strides(captured.sizes(), captured.strides());
        of_buffer_[buffer].push_back({impl.get(), captured.storage_offset()});
        return bound = Tensor(std::move(impl));
    }

    IValue bound_value(const Capture& capture, const IValue& value) {
        if (value.is_tensor())
            return value.to_tensor().defined() ? IValue(bound_tensor(capture, value.to_tensor())) : value;
        const auto bound_all = [&](const std::vector<IValue>& elements) {
            std::vector<IValue> all;
            for (const IValue& element : elements) all.push_back(bound_value(capture, element));
            return all;
        };
        if (value.is_list())
            return make_ptr<ListObject>(value.to_list().element_type, bound_all(value.to_list().elements));
        if (value.is_tuple()) return make_ptr<TupleObject>(bound_all(value.to_tuple().elements), value.to_tuple().type);
        if (!value.is_dict()) return value;
        const auto dict = make_ptr<DictObject>(value.to_dict().key_type, value.to_dict().value_type);
        for (const auto& [key, element] : value.to_dict().entries()) dict->set(key, bound_value(capture, element));
        return dict;
    }

    void bind(const Capture& capture, const CapturedStep& captured) {
        BoundStep step;
        step.op = captured.op;
        step.group = captured.group;
        step.group_plan = captured.group_plan;
        for (const IValue& argument : captured.arguments) step.arguments.push_back(bound_value(capture, argument));
        for (const IValue& result : captured.results) step.results.push_back(bound_value(capture, result));
        if (step.op == nullptr) {
            step.kind = BoundStep::Kind::Group;
        } else {
            step.candidates = &step.op->kernels->candidates[static_cast<std::size_t>(DeviceType::Cpu)];
            step.kind = captured.writes                 ? BoundStep::Kind::Write
                        : step.op->record->kernel.fills ? BoundStep::Kind::Fill
                                                        : BoundStep::Kind::Own;
        }
        if (step.kind == BoundStep::Kind::Own) {
            for (const IValue& result : captured.results) {
                visit_tensors(result, [&](const Tensor& t) {
                    step.own.push_back(t.defined() ? buffer_of(capture, t) : PlannedBuffer::kNone);
                });
            }
        }
        steps_.push_back(std::move(step));
    }

    static void set_preferred(BoundStep& step, const KernelCandidate& candidate) {
        step.preferred = &candidate;
        step.bound = nullptr;
        bind_kernel(step);
    }

    // Puts the fastest kernel first; its backend when there was a choice.
    static std::string fastest(BoundStep& step) {
        if (step.kind != BoundStep::Kind::Fill || step.arguments.empty()) return {};
        // A kernel that overwrites its argument cannot be run twice.
        const bool is_in_place =
            step.arguments[0].is_tensor() && step.results[0].is_tensor() &&
            step.arguments[0].tensor_impl()->storage->data() == step.results[0].tensor_impl()->storage->data();
        if (is_in_place || step.candidates->size() < 2) return {};
        double best = std::numeric_limits<double>::infinity();
        const KernelCandidate* fastest = nullptr;
        for (const KernelCandidate& candidate : *step.candidates) {
            if (!takes(candidate, step)) continue;
            const double seconds = time_kernel(candidate, step);
            if (seconds >= best) continue;
            best = seconds;
            fastest = &candidate;
        }
        if (fastest == nullptr) return {};
        set_preferred(step, *fastest);
        return fastest->backend;
    }

    static void bind_kernel(BoundStep& step) {
        if (step.kind != BoundStep::Kind::Fill) return;
        // Whether a kernel accepts its arguments may depend on elements, which do not exist yet.
        const bool can_be_bound =
            std::any_of(step.candidates->begin(), step.candidates->end(),
                        [](const KernelCandidate& each) { return find_binding(each.kernel) != nullptr; });
        if (!can_be_bound) return;
        const KernelCandidate* candidate = choose(step);
        const BindFunction bind = candidate == nullptr ? nullptr : find_binding(candidate->kernel);
        if (bind != nullptr) step.bound = bind(step.arguments, step.results);
    }

    void find_results(const Capture& capture) {
        for (const IValue& output : capture.outputs) {
            visit_tensors(output, [&](const Tensor& t) {
                if (!t.defined()) return;
                const std::size_t buffer = buffer_of(capture, t);
                const TensorImpl* bound = tensors_[capture.places.at(t.impl())].impl();
                if (layout_.buffers[buffer].place == Place::Result || is_input(buffer))
                    given_.push_back({bound, buffer, nullptr});
            });
        }
    }

    // --- memory ---

    void set_storage(std::size_t buffer, const Ptr<Storage>& storage, std::int64_t shift = 0) {
        for (const View& view : of_buffer_[buffer]) {
            view.impl->storage = storage;
            view.impl->offset = view.offset + shift;
        }
    }

    void lay_buffers(const Capture& capture) {
        lives_.clear();
        for (std::size_t b = 0; b < layout_.buffers.size(); ++b) {
            const ProgramLayout::Buffer& buffer = layout_.buffers[b];
            life_of_.push_back(BufferLife::kNone);
            if (buffer.place != Place::Arena) continue;
            life_of_[b] = lives_.size();
            const std::size_t old = buffer.takes_over;
            lives_.push_back(
                {capture.buffers[b].bytes, buffer.first, buffer.last, old == BufferLife::kNone ? old : life_of_[old]});
        }
        place(plan_memory(lives_));
    }

    void place(MemoryPlan plan) {
        placed_ = std::move(plan);
        plan_.arena_bytes = placed_.arena_bytes;
        arena_ = nullptr;  // laid out again by the next run
    }

    // The thread's block, large enough; another program of the thread may have had it replaced since.
    void take_arena() {
        std::shared_ptr<ThreadArena> shared = ThreadArena::get();
        if (shared->is_used) shared = std::make_shared<ThreadArena>();  // inside another program's run
        if (!shared->block || shared->block->bytes() < placed_.arena_bytes) {
            const MemoryCategoryScope category(MemoryCategory::Activation);
            shared->block = nullptr;
            shared->block = Storage::allocate(placed_.arena_bytes);
        }
        shared->is_used = true;
        shared_ = std::move(shared);
        if (arena_ == shared_->block) return;
        arena_ = shared_->block;
        auto* const base = static_cast<std::byte*>(arena_->data());
        laid_.clear();
        for (std::size_t b = 0; b < layout_.buffers.size(); ++b) {
            if (life_of_[b] == BufferLife::kNone) continue;
            laid_.push_back({b, Storage::view_of(base + placed_.offsets[life_of_[b]], bytes_[b], arena_,
                                                 MemoryCategory::Activation)});
        }
        for (const Laid& laid : laid_) set_storage(laid.buffer, laid.storage);
        if (!memory_.is_recording()) memory_.serve(arena_, placed_.offsets, allocated_);
    }

    // A part of it is still referenced: it must not be overwritten.
    bool leave_arena() {
        shared_->block = nullptr;
        return false;
    }

    // Lifetimes of kernels' allocations, beside those of the buffers; memory for all.
    void plan_scratch() {
        std::vector<BufferLife> lives = lives_;
        allocated_.assign(steps_.size(), {});
        for (std::size_t i = 0; i < steps_.size(); ++i) {
            std::size_t own = 0;
            for (const StepMemory::Allocation& block : memory_.allocated(i)) {
                if (block.is_result) {
                    while (own < steps_[i].own.size() && !is_own(steps_[i].own[own])) ++own;
                    allocated_[i].push_back(own < steps_[i].own.size() ? life_of_[steps_[i].own[own]]
                                                                       : BufferLife::kNone);
                    ++own;
                } else {
                    allocated_[i].push_back(lives.size());
                    lives.push_back({block.bytes, i, i});
                    plan_.buffers.push_back({PlannedBuffer::Use::Scratch, block.bytes, 0, i, i, PlannedBuffer::kNone});
                    plan_.total_bytes += block.bytes;
                }
            }
        }
        place(plan_memory(lives));
        set_offsets(placed_);
        memory_.stop_recording();
    }
    bool is_own(std::size_t buffer) const {
        return buffer != PlannedBuffer::kNone && layout_.buffers[buffer].place == Place::Arena;
    }

    void set_offsets(const MemoryPlan& plan) {
        std::size_t life = 0;
        for (PlannedBuffer& buffer : plan_.buffers) {
            if (buffer.use != PlannedBuffer::Use::Result) buffer.offset = plan.offsets[life++];
        }
        plan_.peak_bytes = 0;
        for (std::size_t i = 0; i < plan_.steps.size() && i < plan.live_bytes.size(); ++i) {
            plan_.steps[i].live_bytes = plan.live_bytes[i] + results_at(i);
            plan_.peak_bytes = std::max(plan_.peak_bytes, plan_.steps[i].live_bytes);
        }
    }
    std::size_t results_at(std::size_t step) const {
        std::size_t bytes = 0;
        for (const PlannedBuffer& buffer : plan_.buffers) bytes += result_bytes_at(plan_, buffer, step);
        return bytes;
    }

    // --- a run ---

    void take_inputs(std::span<const IValue> inputs) {
        given_inputs_.clear();
        for (const IValue& input : inputs) {
            if (input.is_tensor())
                given_inputs_.push_back(input.tensor_impl());
            else if (input.is_list() || input.is_tuple() || input.is_dict())
                visit_tensors(input, [&](const Tensor& t) { given_inputs_.push_back(t.impl()); });
        }
        std::erase(given_inputs_, nullptr);
        for (const Input& input : inputs_) {
            const TensorImpl& given = *given_inputs_[input.tensor];
            set_storage(input.buffer, given.storage, given.offset - input.offset);
        }
    }

    void take_results() {
        for (Given& given : given_) {
            if (given.impl && given.impl->use_count() == 1) given.impl->storage = no_storage();
        }
        for (std::size_t b = 0; b < layout_.buffers.size(); ++b) {
            if (layout_.buffers[b].place != Place::Result) continue;
            const Ptr<Storage> storage = pools_[b].take();
            for (std::size_t in = b; in != BufferLife::kNone; in = layout_.buffers[in].takes_over)
                set_storage(in, storage);
        }
    }

    void run_step(BoundStep& step) {
        own_results_.clear();
        try {
            switch (step.kind) {
                case BoundStep::Kind::Fill:
                    if (step.bound)
                        step.bound->run();
                    else
                        chosen(step).kernel(step.arguments, step.results.data());
                    break;
                case BoundStep::Kind::Own:
                    run_own(step);
                    break;
                case BoundStep::Kind::Write:
                    call_operator(*step.op, step.arguments, step.results.data());
                    break;
                case BoundStep::Kind::Group:
                    step.group->run_planned(*step.group_plan, step.arguments, step.results.data());
                    break;
            }
        } catch (Error& error) {
            if (error.kind() != ErrorKind::Cancelled)
                error.add_context({.op = step.op != nullptr ? step.op->full_name : "prim::TensorExprGroup"});
            throw;
        }
    }

    void run_own(BoundStep& step) {
        for (IValue& result : step.results) result = IValue();
        chosen(step).kernel(step.arguments, step.results.data());
        std::size_t i = 0;
        for (const IValue& result : step.results) {
            visit_tensors(result, [&](const Tensor& t) {
                const std::size_t buffer = step.own[i++];
                if (t.defined()) adopt(buffer, t.storage());
            });
        }
        for (IValue& result : step.results) result = IValue();
    }

    void adopt(std::size_t buffer, const Ptr<Storage>& storage) {
        if (layout_.buffers[buffer].place == Place::Result) {
            if (!of_buffer_[buffer].empty())
                std::memcpy(of_buffer_[buffer][0].impl->storage->data(), storage->data(),
                            std::min(bytes_[buffer], storage->bytes()));
            return;
        }
        own_results_.push_back(storage->data());
        set_storage(buffer, storage);
    }

    // The caller's result for a value of the program: new tensors on the same memory.
    IValue output_value(const IValue& value) {
        if (value.is_tensor()) return output_tensor(value.tensor_impl());
        const auto all = [&](const std::vector<IValue>& elements) {
            std::vector<IValue> made;
            for (const IValue& element : elements) made.push_back(output_value(element));
            return made;
        };
        if (value.is_list()) return make_ptr<ListObject>(value.to_list().element_type, all(value.to_list().elements));
        if (value.is_tuple()) return make_ptr<TupleObject>(all(value.to_tuple().elements), value.to_tuple().type);
        if (!value.is_dict()) return value;
        const auto dict = make_ptr<DictObject>(value.to_dict().key_type, value.to_dict().value_type);
        for (const auto& [key, element] : value.to_dict().entries()) dict->set(key, output_value(element));
        return dict;
    }

    IValue output_tensor(TensorImpl* bound) {
        for (std::size_t i = 0; i < input_places_.size(); ++i) {
            if (tensors_[input_places_[i]].impl() == bound)
                return Tensor(Ptr<TensorImpl>(const_cast<TensorImpl*>(given_inputs_[i])));
        }
        const auto found =
            std::find_if(given_.begin(), given_.end(), [&](const Given& given) { return given.bound == bound; });
        if (found == given_.end()) return Tensor(Ptr<TensorImpl>(bound));  // a constant
        if (!found->impl || found->impl->use_count() != 1) found->impl = Ptr<TensorImpl>(new TensorImpl);
        TensorImpl& impl = *found->impl;
        impl.storage = bound->storage;
        impl.offset = bound->offset;
        impl.dtype = bound->dtype;
        impl.wrapped_number = false;
        impl.autograd.reset();
        impl.set_sizes_strides(span_of(bound->sizes), span_of(bound->strides));
        return Tensor(found->impl);
    }

    void release() {
        if (shared_) shared_->is_used = false;
        given_inputs_.clear();
        for (const Input& input : inputs_) set_storage(input.buffer, no_storage());
        for (std::size_t b = 0; b < layout_.buffers.size(); ++b) {
            if (layout_.buffers[b].place == Place::Result || layout_.buffers[b].place == Place::InResult)
                set_storage(b, no_storage());
        }
        for (BoundStep& step : steps_) {
            if (step.kind != BoundStep::Kind::Own) continue;
            for (const std::size_t buffer : step.own) {
                if (buffer != PlannedBuffer::kNone) set_storage(buffer, no_storage());
            }
        }
    }

    struct View {
        TensorImpl* impl;
        std::int64_t offset;
    };
    struct Laid {
        std::size_t buffer;
        Ptr<Storage> storage;
    };
    // A result: the program's tensor, and the object that the caller has.
    struct Given {
        const TensorImpl* bound;
        std::size_t buffer;
        Ptr<TensorImpl> impl;
    };

    ProgramLayout layout_;
    std::vector<AttributeGuard> guards_;
    std::vector<Tensor> tensors_;  // as the capture's
    std::vector<IValue> outputs_;
    StepMemory memory_;
    std::vector<ResultPool> pools_;
    std::vector<std::vector<View>> of_buffer_;
    std::vector<std::size_t> bytes_;
    std::vector<Input> inputs_;              // one per buffer
    std::vector<std::size_t> input_places_;  // in tensors_, one per input
    std::vector<BoundStep> steps_;
    std::vector<Given> given_;
    std::vector<BufferLife> lives_;
    std::vector<std::size_t> life_of_;  // of each buffer
    std::vector<Laid> laid_;
    MemoryPlan placed_;
    std::vector<std::vector<std::size_t>> allocated_;  // of each step: the lifetimes of its kernel's allocations
    std::shared_ptr<ThreadArena> shared_;
    Ptr<Storage> arena_;  // the block that the buffers are laid out in now; null: in none
    ProgramPlan plan_;
    // Of the current run.
    std::vector<const TensorImpl*> given_inputs_;
    std::vector<const void*> own_results_;
};

StaticProgram::StaticProgram(const Capture& capture) : state_(std::make_unique<State>(capture)) {}
StaticProgram::~StaticProgram() = default;

bool StaticProgram::holds() const { return state_->holds(); }
bool StaticProgram::run(std::span<const IValue> inputs, IValue* outputs) {
    return state_->run(inputs, outputs) && state_->settle();
}
std::vector<std::string> StaticProgram::tune(std::span<const IValue> inputs) { return state_->tune(inputs); }
void StaticProgram::prefer(const std::vector<std::string>& backends) { state_->prefer(backends); }
const ProgramPlan& StaticProgram::plan() const { return state_->plan(); }
std::size_t StaticProgram::unplanned() const { return state_->unplanned(); }

}  // namespace loupe::runtime
