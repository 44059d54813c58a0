// SPDX-License-Identifier: Apache-2.0
#include "core/formats/profiler/memory_snapshot.h"

#include <algorithm>
#include <array>

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
    const auto own = std::ranges::find_if(
        frames, [&](std::uint32_t frame) { return !is_library(snapshot.texts[snapshot.frames[frame].file]); });
    return frame_text(snapshot, own == frames.end() ? frames.front() : *own);
}

}  // namespace loupe
