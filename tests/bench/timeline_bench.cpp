// SPDX-License-Identifier: GPL-3.0-or-later
// How long the timeline takes to draw a frame of 1,000,000 events, on the processor and outside the rasteriser: zooms
// from all of them to a few. Prints a table; asserts nothing.

#include <imgui.h>

#include <QApplication>
#include <QElapsedTimer>
#include <cstdio>

#include "core/record/recording_writer.h"
#include "views/common/theme.h"
#include "views/timeline/timeline_draw.h"

using namespace loupe;
using namespace loupe::views;

namespace {

// Blocks of modules three deep, an operator of a few microseconds each, forward and then backward.
std::shared_ptr<const session::Recording> manyEvents(int count) {
    static const char* const kinds[] = {"aten::conv2d", "aten::batch_norm", "aten::relu_", "aten::add_",
                                        "aten::linear"};
    session::RecordingWriter writer;
    double time = 0;
    std::uint32_t frame = 0;
    const auto leave = [&] {
        if (frame != 0) writer.end_frame(frame, writer.next_event() - 1);
    };
    for (int i = 0; i < count; ++i) {
        session::Event event;
        const bool forward = i < count / 2;
        if (forward && i % 8 == 0) {
            leave();
            session::Frame call;
            call.scope = writer.intern("layer" + std::to_string(i / 8 % 40));
            call.class_name = writer.intern("Block");
            call.first_event = writer.next_event();
            frame = writer.begin_frame(call);
        }
        event.phase = forward ? session::RunPhase::Forward : session::RunPhase::Backward;
        event.op = writer.intern(kinds[i % 5]);
        event.frame = forward ? frame : 0;
        event.start = time;
        event.duration = (1 + i % 13) * 1e-6;
        event.memory_before = event.memory_after = event.memory_peak = 1000 * (i % 5000);
        time += event.duration + 2e-7;
        writer.add_event(event);
    }
    leave();
    writer.finish();
    return writer.recording();
}

}  // namespace

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication app(argc, argv);
    Theme::instance().setMode(Theme::Mode::Dark);
    constexpr int kEvents = 1'000'000;
    constexpr int kFrames = 100;
    constexpr double kWidth = 1440;
    constexpr double kHeight = 300;
    const auto recording = manyEvents(kEvents);
    QElapsedTimer timer;
    timer.start();
    TimelineIndex index;
    index.reset(recording.get());
    index.update(recording->event_count());
    std::printf("index of %d events: %.0f ms\n", kEvents, static_cast<double>(timer.nsecsElapsed()) * 1e-6);

    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = ImVec2(static_cast<float>(kWidth), static_cast<float>(kHeight));
    unsigned char* pixels = nullptr;
    int wide = 0;
    int high = 0;
    io.Fonts->GetTexDataAsRGBA32(&pixels, &wide, &high);
    std::printf("%12s %10s %14s %14s\n", "visible", "boxes", "median ms", "worst ms");
    for (double share : {1.0, 0.3, 0.1, 0.01, 0.001, 0.0001}) {
        std::vector<double> times;
        std::size_t boxes = 0;
        for (int i = 0; i < kFrames; ++i) {
            TimelineState state;
            const double span = index.end() * share;
            state.from = (index.end() - span) * i / kFrames;
            state.to = state.from + span;
            state.current = 1000;
            timer.restart();
            io.DeltaTime = 1.0f / 60;
            ImGui::NewFrame();
            TimelineDrawing drawing(index, state, kWidth, kHeight);
            ImGuiSurface surface(ImGui::GetBackgroundDrawList());
            drawing.draw(surface);
            ImGui::Render();
            times.push_back(static_cast<double>(timer.nsecsElapsed()) * 1e-6);
            boxes = std::max(boxes, drawing.boxesDrawn());
        }
        std::sort(times.begin(), times.end());
        std::printf("%11.2f%% %10zu %14.2f %14.2f\n", share * 100, boxes, times[times.size() / 2], times.back());
    }
    ImGui::DestroyContext();
    return 0;
}
