// SPDX-License-Identifier: Apache-2.0
#include "core/formats/profiler/memory_snapshot.h"

#include <algorithm>
#include <array>
#include <ranges>

#include "core/base/strings.h"

namespace loupe {
namespace {

bool is_library(std::string_view file) {
    static constexpr std::array<std::string_view, 5> kLibraries{"/site-packages/", "/dist-packages/", "/lib/python",
                                                                "<frozen", "torch/"};
    return file.empty() || file == "??" || !(file.ends_with(".py") || file.starts_with("<")) ||
           std::ranges::any_of(kLibraries, [&](std::string_view part) {
               return part == "torch/" ? file.starts_with(part) : file.find(part) != std::string_view::npos;
           });
}

constexpr std::string_view kAutogradNode = "torch::autograd::generated::";
constexpr std::string_view kOperator = "at::_ops::";

// "NllLossBackward0" of "torch::autograd::generated::NllLossBackward0::apply(...)"; empty: of another function.
std::string_view part_behind(std::string_view function, std::string_view scope) {
    if (!function.starts_with(scope)) return {};
    const std::string_view behind = function.substr(scope.size());
    const auto end = behind.find("::");
    return end == std::string_view::npos ? std::string_view() : behind.substr(0, end);
}

}  // namespace

std::string_view action_name(AllocatorAction action) {
    static constexpr std::array<std::string_view, 10> kNames{
        "alloc", "free_requested", "free_completed", "segment_alloc", "segment_free", "segment_map", "segment_unmap",
        "oom",   "snapshot",       "other"};
    return kNames[static_cast<std::size_t>(action)];
}

std::size_t MemorySnapshot::entry_count() const {
    std::size_t count = 0;
    for (const DeviceTrace& device : devices) count += device.entries.size();
    return count;
}

std::string frame_text(const MemorySnapshot& snapshot, std::uint32_t frame) {
    const SnapshotFrame& at = snapshot.frames[frame];
    const std::string_view file = snapshot.texts[at.file];
    const std::string_view function = snapshot.texts[at.function];
    if (file.empty() || file == "??") return std::string(function);
    const auto slash = file.rfind('/');
    return concat(slash == std::string_view::npos ? file : file.substr(slash + 1), ":", at.line, " ", function);
}

std::string own_frame_text(const MemorySnapshot& snapshot, std::uint32_t stack) {
    const auto frames = snapshot.frames_of(stack);
    if (frames.empty()) return "(no stack)";
    const auto file_of = [&](std::uint32_t frame) -> std::string_view {
        return snapshot.texts[snapshot.frames[frame].file];
    };
    const auto own = std::ranges::find_if(frames, [&](std::uint32_t frame) { return !is_library(file_of(frame)); });
    if (own != frames.end()) return frame_text(snapshot, *own);
    // Threads of the autograd engine have no frame of Python.
    for (const std::uint32_t frame : frames)
        if (const auto node = part_behind(snapshot.texts[snapshot.frames[frame].function], kAutogradNode);
            !node.empty())
            return concat("backward: ", node);
    const auto python =
        std::ranges::find_if(frames, [&](std::uint32_t frame) { return file_of(frame).ends_with(".py"); });
    if (python != frames.end()) return frame_text(snapshot, *python);
    // The outermost operator: it calls the others.
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame)
        if (const auto op = part_behind(snapshot.texts[snapshot.frames[*frame].function], kOperator); !op.empty())
            return concat("aten::", op);
    return frame_text(snapshot, frames.front());
}

}  // namespace loupe
