// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/planned/program_layout.h"

#include <algorithm>

namespace loupe::runtime {
namespace {

using Place = ProgramLayout::Place;

constexpr std::size_t kNone = BufferLife::kNone;

template <typename Visit>
void visit_buffers(const Capture& capture, const std::vector<IValue>& values, Visit&& visit) {
    for (const IValue& value : values) {
        visit_tensors(value, [&](const Tensor& t) {
            if (t.defined()) visit(buffer_of(capture, t));
        });
    }
}

class LayoutMaker {
  public:
    explicit LayoutMaker(const Capture& capture) : capture_(capture), made_by_(capture.buffers.size(), kNone) {
        layout_.buffers.resize(capture.buffers.size());
    }

    ProgramLayout make() {
        find_makers();
        keep_steps();
        find_lives();
        take_over();
        return std::move(layout_);
    }

  private:
    void find_makers() {
        for (std::size_t s = 0; s < capture_.steps.size(); ++s) {
            visit_buffers(capture_, capture_.steps[s].results, [&](std::size_t b) {
                if (capture_.buffers[b].kind == CapturedBuffer::Kind::Made && made_by_[b] == kNone) made_by_[b] = s;
            });
        }
    }

    // Constant: its results of the capture are reused.
    bool is_constant(std::size_t s) const {
        const CapturedStep& step = capture_.steps[s];
        if (step.depends_on_inputs || step.writes) return false;
        bool is_written = false;
        visit_buffers(capture_, step.results,
                      [&](std::size_t b) { is_written = is_written || capture_.buffers[b].is_written; });
        return !is_written;
    }

    void keep_steps() {
        std::vector<bool> needed(capture_.buffers.size(), false);
        visit_buffers(capture_, capture_.outputs, [&](std::size_t b) { needed[b] = true; });
        for (std::size_t s = capture_.steps.size(); s-- > 0;) {
            const CapturedStep& step = capture_.steps[s];
            if (is_constant(s)) continue;
            bool is_needed = false;
            const auto need = [&](std::size_t b) { is_needed = is_needed || needed[b]; };
            visit_buffers(capture_, step.results, need);
            if (step.writes) visit_buffers(capture_, step.arguments, need);
            if (!is_needed) continue;
            visit_buffers(capture_, step.arguments, [&](std::size_t b) { needed[b] = true; });
            layout_.steps.push_back(s);
        }
        std::reverse(layout_.steps.begin(), layout_.steps.end());
    }

    void find_lives() {
        std::vector<bool> is_known(capture_.buffers.size(), false);
        for (std::size_t i = 0; i < layout_.steps.size(); ++i) {
            const std::size_t s = layout_.steps[i];
            const auto touch = [&](std::size_t b) {
                ProgramLayout::Buffer& buffer = layout_.buffers[b];
                if (made_by_[b] == s) {
                    is_known[b] = true;
                    buffer.place = Place::Arena;
                    buffer.first = i;
                }
                if (is_known[b]) buffer.last = i;
            };
            visit_buffers(capture_, capture_.steps[s].results, touch);
            visit_buffers(capture_, capture_.steps[s].arguments, touch);
        }
        visit_buffers(capture_, capture_.outputs, [&](std::size_t b) {
            if (!is_known[b]) return;
            layout_.buffers[b].place = Place::Result;
            layout_.buffers[b].last = layout_.steps.size() - 1;
        });
    }

    // An operator with an in-place form reads each element before it writes it, so its result may reuse its first
    // argument's memory at the last use.
    void take_over() {
        for (std::size_t i = 0; i < layout_.steps.size(); ++i) {
            const CapturedStep& step = capture_.steps[layout_.steps[i]];
            if (step.op == nullptr || step.op->variant != OperatorVariant::Functional ||
                (step.op->record->variants & kInPlace) == 0)
                continue;
            if (step.results.size() != 1 || !step.results[0].is_tensor() || !step.arguments[0].is_tensor()) continue;
            const Tensor from = step.arguments[0].to_tensor();
            const Tensor to = step.results[0].to_tensor();
            const std::size_t old = buffer_of(capture_, from);
            const std::size_t made = buffer_of(capture_, to);
            if (made_by_[made] != layout_.steps[i] || !may_lie_in(from, to) || is_read_twice(step, old)) continue;
            const ProgramLayout::Buffer& before = layout_.buffers[old];
            if (before.place != Place::Arena || before.last != i || before.first == i) continue;
            if (capture_.buffers[old].bytes < capture_.buffers[made].bytes) continue;
            if (layout_.buffers[made].place == Place::Arena) layout_.buffers[made].takes_over = old;
            if (layout_.buffers[made].place == Place::Result) move_into_result(old, made);
        }
    }

    // With the buffers that it has reused itself, if they are as large.
    void move_into_result(std::size_t buffer, std::size_t result) {
        for (std::size_t taker = result; buffer != kNone && may_be_in_result(buffer, result);
             taker = buffer, buffer = layout_.buffers[buffer].takes_over) {
            layout_.buffers[taker].takes_over = buffer;
            layout_.buffers[buffer].place = Place::InResult;
        }
        if (buffer == kNone) return;
        for (ProgramLayout::Buffer& other : layout_.buffers) {
            if (other.place == Place::InResult && other.takes_over == buffer) other.takes_over = kNone;
        }
    }

    // Written by a kernel with an output argument.
    bool may_be_in_result(std::size_t buffer, std::size_t result) const {
        const CapturedStep& maker = capture_.steps[made_by_[buffer]];
        const bool is_filled = maker.op == nullptr || (!maker.writes && maker.op->record->kernel.fills);
        return is_filled && capture_.buffers[buffer].bytes == capture_.buffers[result].bytes;
    }

    static bool may_lie_in(const Tensor& from, const Tensor& to) {
        return from.dtype() == to.dtype() && from.impl()->sizes == to.impl()->sizes &&
               from.impl()->strides == to.impl()->strides && from.storage_offset() == 0 && to.storage_offset() == 0;
    }

    bool is_read_twice(const CapturedStep& step, std::size_t buffer) const {
        std::size_t reads = 0;
        visit_buffers(capture_, step.arguments, [&](std::size_t b) { reads += b == buffer ? 1 : 0; });
        return reads > 1;
    }

    const Capture& capture_;
    ProgramLayout layout_;
    std::vector<std::size_t> made_by_;
};

}  // namespace

ProgramLayout lay_out(const Capture& capture) { return LayoutMaker(capture).make(); }

std::size_t result_bytes_at(const ProgramPlan& plan, const PlannedBuffer& buffer, std::size_t step) {
    if (buffer.use != PlannedBuffer::Use::Result) return 0;
    const auto index = static_cast<std::size_t>(&buffer - plan.buffers.data());
    const bool is_taken_over = std::any_of(plan.buffers.begin(), plan.buffers.end(), [&](const PlannedBuffer& other) {
        return other.use == PlannedBuffer::Use::Result && other.takes_over == index;
    });
    if (is_taken_over) return 0;
    const PlannedBuffer* first = &buffer;
    while (first->takes_over != PlannedBuffer::kNone) first = &plan.buffers[first->takes_over];
    return first->first <= step ? buffer.bytes : 0;
}

ProgramPlan plan_program(const Capture& capture) {
    const ProgramLayout layout = lay_out(capture);
    ProgramPlan plan;
    for (const std::size_t s : layout.steps)
        plan.steps.push_back({capture.steps[s].name(), {}, capture.steps[s].node, 0});
    std::vector<BufferLife> lives;
    std::vector<std::size_t> life_of(layout.buffers.size(), kNone);
    std::vector<std::size_t> shown(layout.buffers.size(), kNone);
    for (std::size_t b = 0; b < layout.buffers.size(); ++b) {
        const ProgramLayout::Buffer& buffer = layout.buffers[b];
        if (buffer.place == Place::Outside) continue;
        const bool is_result = buffer.place == Place::Result || buffer.place == Place::InResult;
        const std::size_t bytes = capture.buffers[b].bytes;
        const std::size_t old = buffer.takes_over;
        shown[b] = plan.buffers.size();
        plan.buffers.push_back({is_result ? PlannedBuffer::Use::Result : PlannedBuffer::Use::Value, bytes, 0,
                                buffer.first, buffer.last, old == kNone ? kNone : shown[old]});
        plan.total_bytes += bytes;
        plan.result_bytes += buffer.place == Place::Result ? bytes : 0;
        if (is_result) continue;
        life_of[b] = lives.size();
        lives.push_back({bytes, buffer.first, buffer.last, old == kNone ? kNone : life_of[old]});
    }
    const MemoryPlan memory = plan_memory(lives);
    plan.arena_bytes = memory.arena_bytes;
    std::size_t life = 0;
    for (PlannedBuffer& buffer : plan.buffers) {
        if (buffer.use == PlannedBuffer::Use::Value) buffer.offset = memory.offsets[life++];
    }
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        std::size_t& live = plan.steps[i].live_bytes;
        live = i < memory.live_bytes.size() ? memory.live_bytes[i] : 0;
        for (const PlannedBuffer& buffer : plan.buffers) live += result_bytes_at(plan, buffer, i);
        plan.peak_bytes = std::max(plan.peak_bytes, live);
    }
    return plan;
}

}  // namespace loupe::runtime
