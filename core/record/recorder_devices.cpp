// SPDX-License-Identifier: Apache-2.0
// The recorder's view of what runs beside it: devices other than the CPU, and loaders of data.
#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/device_fallback.h"
#include "core/record/recorder.h"

namespace loupe::session {

namespace {

// "cuda:0"; of a stream that is not the device's own "cuda:0, stream 3".
std::string name_of_stream(Device device) {
    const StreamId stream = device_interface(device.type)->current_stream(device);
    return stream == 0 ? device_name(device) : concat(device_name(device), ", stream ", stream);
}

}  // namespace

void Recorder::stop_watching() {
    workers_.stop();
    if (saving_observer() == this) set_saving_observer(nullptr);
    if (fallback_observer() == this) set_fallback_observer(nullptr);
}

void Recorder::start_device_clock(const OperatorCall& call) {
    const Device device = [&] {
        if (call.op != nullptr) return device_of_call(*call.op, call.inputs);
        Device first;
        for (const IValue& input : call.inputs) {
            if (input.is_device()) first = input.to_device();  // of a replayed graph
            visit_tensors(input, [&](const Tensor& t) {
                if (first.is_cpu() && t.defined()) first = t.device();
            });
        }
        return first;
    }();
    if (!device.is_cpu()) pending_.device.device = writer_.intern(name_of_stream(device));
    device_clock_.start(device, clock_.now());
}

void Recorder::on_fallback(const FallbackCost& cost) {
    if (!is_pending_ || execution_observer() != this) return;
    pending_.device.fell_back = true;
    pending_.device.copied_bytes += static_cast<std::int64_t>(cost.bytes);
    pending_.device.copy_seconds += cost.seconds;
    if (pending_.device.device.empty()) pending_.device.device = writer_.intern(device_name(cost.device));
}

// --- loaders of data

void Recorder::add_load(const data::LoadWork& work) {
    LoadSpan span{work.kind,           work.pass,   work.worker, work.batch, clock_.at(work.start),
                  clock_.at(work.end), work.is_over};
    if (work.end > clock_.began()) writer_.add_load(span);
}

void Recorder::take_loads() {
    for (const data::LoadWork& work : load_log_->finished(loads_seen_)) add_load(work);
}

// --- events whose numbers a device still has ---

// The event under way, before it is published.
void Recorder::hold(const Operator* op) {
    writer_.hold();
    Held& held = held_.emplace_back();
    held.id = writer_.next_event();
    held.op = op;
    held.saved = std::move(pending_saved_);
    held.span = std::exchange(pending_span_, std::nullopt);
    held.last_value = writer_.last_value();
}

void Recorder::show_first() {
    Held& held = held_.front();
    Event& event = writer_.held_event(held.id);
    // One by one, so that a device that stops is seen where it does: the next event's mark is behind this one's
    // numbers.
    if (held.span) held.span->wait();
    if (!tensors_.are_there(held.last_value) && held_.size() > 1 && held_[1].span) held_[1].span->wait();
    tensors_.settle(held.last_value);
    event.device.given = event.start;
    if (held.span) {
        event.device.launch = std::exchange(event.duration, held.span->seconds());
        // The two clocks agree only as far as their zeros were noted at once: nothing begins before it is given.
        event.start = std::max(held.span->start(), event.device.given);
        device_clock_.take_back(std::move(*held.span));
    }
    // One after the other, as they are on the device; the host was ahead. Another stream runs beside it.
    if (event.device.device.find(',') == std::string_view::npos)
        event.start = device_time_ = std::max(device_time_, event.start);
    if (held.is_whole)
        note_whole(event);
    else
        judge(
            event, [&] { return bad_.kept_call(held.op, event); }, held.saved, held.id);
    writer_.show(held.id, held.last_value);
    held_.pop_front();
}

void Recorder::show_some() {
    // So many that the device has work while the host waits for the older half.
    constexpr std::size_t kMost = 512;
    if (held_.size() >= kMost) {
        const Held& middle = held_[kMost / 2];
        if (middle.span) middle.span->wait();
        while (held_.size() > kMost / 2) show_first();
        return;
    }
    const auto is_there = [this](const Held& held) {
        return (!held.span || held.span->is_over()) && tensors_.are_there(held.last_value);
    };
    while (!held_.empty() && is_there(held_.front())) show_first();
    if (!is_late()) writer_.show_all();
}

void Recorder::catch_up() {
    const auto give_up = [this] {
        held_.clear();
        tensors_.give_up_late();
        writer_.show_all();
    };
    try {
        while (!held_.empty()) show_first();
        if (is_pending_) return;  // its inputs are not shown before it
        tensors_.settle(writer_.last_value());
    } catch (const Error& error) {
        // What is seen late is shown where it was: the first work that was not done.
        if (!held_.empty() && any_device_lost()) {
            Event& first = writer_.held_event(held_.front().id);
            first.failed = true;
            first.error = concat("the device stopped at this operator or soon behind it: ", error.what());
        }
        give_up();
        throw;
    } catch (...) {
        give_up();
        throw;
    }
    writer_.show_all();
}

}  // namespace loupe::session
