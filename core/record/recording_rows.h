// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rows of a recording as JSON arrays, fields in the order that recording_file.h says: for the file of a run that is
// saved, and for the journal of one that goes on.

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/record/recording_json.h"

namespace loupe::session {

// Texts by number, each once.
class TextTable {
  public:
    std::size_t operator()(std::string_view text) {
        const auto [found, is_new] = numbers_.try_emplace(std::string(text), texts_.size());
        if (is_new) texts_.push_back(found->first);
        return found->second;
    }
    const std::vector<std::string>& texts() const { return texts_; }

  private:
    std::vector<std::string> texts_;
    std::unordered_map<std::string, std::size_t> numbers_;
};

inline Json numbers_json(const std::vector<double>& numbers) {
    Json json = Json::array();
    for (const double number : numbers) json.push_back(number_json(number));
    return json;
}

inline Json device_json(const DeviceWork& work, TextTable& text) {
    if (work.device.empty() && work.given == 0) return Json();
    return Json::array(
        {text(work.device), work.launch, work.fell_back, work.copied_bytes, work.copy_seconds, work.given});
}

// [thread, start, end, thread, ...]; null: none.
inline Json workers_json(const std::vector<WorkerSpan>& workers) {
    if (workers.empty()) return Json();
    Json json = Json::array();
    for (const WorkerSpan& each : workers) {
        json.push_back(each.thread);
        json.push_back(each.start);
        json.push_back(each.end);
    }
    return json;
}

inline Json event_row(const Event& e, EventId backward, TextTable& text) {
    return Json::array({static_cast<int>(e.phase),
                        text(e.op),
                        text(e.scope),
                        text(e.source_file),
                        e.source_line,
                        e.graph_node,
                        e.depth,
                        e.frame,
                        e.peer,
                        e.start,
                        e.duration,
                        e.memory_before,
                        e.memory_after,
                        e.memory_peak,
                        number_json(e.flops),
                        number_json(e.bytes_moved),
                        text(e.backend),
                        e.declined,
                        e.inputs,
                        e.outputs,
                        e.arguments,
                        e.has_nan,
                        e.has_inf,
                        e.failed,
                        e.error,
                        backward,
                        text(e.overload),
                        static_cast<int>(e.not_finite),
                        e.setup.seconds,
                        e.is_cold,
                        numbers_json(e.read_for_bad),
                        device_json(e.device, text),
                        workers_json(e.workers)});
}

inline Json value_row(const Value& v, std::uint32_t array, TextTable& text) {
    return Json::array({v.producer, v.name, text(v.dtype), v.shape, v.strides, v.offset, v.bytes, v.storage_id,
                        v.requires_grad, v.gradient_of, v.statistics ? Json(*v.statistics) : Json(), array,
                        v.is_left_out});
}

inline Json frame_row(const Frame& f, EventId last, TextTable& text) {
    return Json::array({f.parent, text(f.scope), text(f.class_name), text(f.function), f.first_event, last});
}

inline Json allocation_row(const Allocation& a, TextTable& text) {
    return Json::array({a.storage_id, a.address, a.bytes, static_cast<int>(a.category), a.allocated, a.freed,
                        a.saved_by, text(a.scope), a.owner, text(a.device)});
}

inline Json saving_row(const Saving& s, TextTable& text) { return Json::array({s.allocation, s.by, text(s.node)}); }

inline Json load_row(const LoadSpan& load) {
    return Json::array(
        {static_cast<int>(load.kind), load.pass, load.worker, load.batch, load.start, load.end, load.is_over});
}

inline Json edit_json(const EditStart& edit) {
    return Json{{"event", edit.event},
                {"function", edit.function},
                {"changed", edit.changed},
                {"file", edit.place.file},
                {"line", edit.place.line}};
}

inline Json backward_start_json(const BackwardStart& start) {
    return Json{{"event", start.event}, {"text", start.text}, {"is_loss", start.is_loss}};
}

// Where the rows have the fields that a journal knows only later.
inline constexpr std::size_t kEventPhase = 0;
inline constexpr std::size_t kEventFrame = 7;
inline constexpr std::size_t kEventPeer = 8;
inline constexpr std::size_t kEventBackward = 25;
inline constexpr std::size_t kValueProducer = 0;
inline constexpr std::size_t kValueGradientOf = 9;
inline constexpr std::size_t kValueArray = 11;
inline constexpr std::size_t kFrameParent = 0;
inline constexpr std::size_t kFrameFirst = 4;
inline constexpr std::size_t kFrameLast = 5;
inline constexpr std::size_t kAllocationAllocated = 4;
inline constexpr std::size_t kAllocationFreed = 5;
inline constexpr std::size_t kAllocationSavedBy = 6;
inline constexpr std::size_t kSavingAllocation = 0;
inline constexpr std::size_t kSavingBy = 1;

}  // namespace loupe::session
