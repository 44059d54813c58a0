// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Drawing of the timeline of a run.

#include <QRgb>
#include <QString>
#include <optional>

#include "core/study/run_differences.h"
#include "views/timeline/timeline_index.h"
#include "views/timeline/timeline_surface.h"

namespace loupe::views {

// A reference on the axis of the run that is shown.
struct ReferenceTimes {
    Lane forward;
    Lane backward;
    Curve memory;  // of each aligned event, where that ends here
    std::shared_ptr<const session::RunDifferences> differences;
    // Zones say how long the own event takes, of how long the reference's took.
    std::vector<session::EventId> own;  // by the reference's event: its partner
    std::vector<double> ratios;         // by the reference's event; 0: it has no partner
};
ReferenceTimes referenceTimes(const TimelineIndex& index, std::shared_ptr<const session::RunDifferences> differences);

struct TimelineState {
    double from = 0;  // the visible range, in seconds
    double to = 1;
    session::EventId current = 0;
    session::EventId reached = 0;  // 0: not parked
    std::optional<double> mouse_x;
    double mouse_y = 0;
    double note_right = 0;  // reserved width at the end of the axis
    bool has_range = false;
    double range_from = 0;
    double range_to = 0;
    // The run that this one is compared with; null: none.
    const ReferenceTimes* reference = nullptr;
};

struct TimelineHit {
    session::EventId event = 0;
    std::uint32_t frame = 0;
    std::size_t count = 1;  // of merged zones
    double start = 0;
    double end = 0;
    bool is_backward = false;                 // of a frame: its module in backward
    const session::LoadSpan* load = nullptr;  // neither event nor frame: work of a loader
};

// Of copies on a device's row, and of what waits for one.
QRgb copyColour();

class TimelineDrawing {
  public:
    static constexpr double kGutter = 78;
    static constexpr double kAxis = 20;
    static constexpr double kRow = 19;
    static constexpr double kWorker = 8;   // a thread of a parallel loop
    static constexpr double kLoader = 16;  // of data

    TimelineDrawing(const TimelineIndex& index, const TimelineState& state, double width, double height)
        : index_(index), state_(state), width_(width), height_(height) {}

    void draw(TimelineSurface& surface);
    std::optional<TimelineHit> hit(double x, double y) const;
    double timeAt(double x) const { return state_.from + (x - kGutter) / scale(); }
    double xOf(double time) const { return kGutter + (time - state_.from) * scale(); }
    // Height that shows all rows.
    double wantedHeight() const;
    std::size_t boxesDrawn() const { return boxes_; }

  private:
    struct Row {
        const Lane* lane;
        double y;
        bool is_frames;
        QString label;
        bool is_reference = false;
        bool is_worker = false;  // low, without names
        double height = kRow;    // to the next row
        bool is_loader = false;
    };
    double scale() const;
    std::vector<Row> rows() const;
    std::vector<const Lane*> operatorLanes() const;
    double marksTop() const;
    double memoryTop() const;
    QString note() const;
    // Where the note and the buttons at the end of the axis begin.
    double noteLeft(TimelineSurface& surface) const;
    void drawAxis(TimelineSurface& surface);
    void drawRow(TimelineSurface& surface, const Row& row);
    void drawSetup(TimelineSurface& surface, double x0, double x1, double top, double bottom);
    void drawNote(TimelineSurface& surface);
    void drawReference(TimelineSurface& surface, const Row& row);
    void drawGutter(TimelineSurface& surface);
    void drawWorkers(TimelineSurface& surface, const Row& row);
    void addLoaders(std::vector<Row>& all, double& y) const;
    double loadersHeight() const;
    void drawLoader(TimelineSurface& surface, const Row& row);
    QStringList loadTip(const session::LoadSpan& load) const;
    void drawEdit(TimelineSurface& surface);
    void drawMemoryMarks(TimelineSurface& surface);
    void drawLaunch(TimelineSurface& surface, session::EventId id);
    void drawWaits(TimelineSurface& surface, const Row& row);
    QStringList waitTip() const;
    QStringList marksTip() const;
    QStringList eventTip(session::EventId id) const;
    void drawMemory(TimelineSurface& surface);
    void drawReferenceMemory(TimelineSurface& surface, double top, double bottom, double most);
    void drawMarks(TimelineSurface& surface);
    void drawRange(TimelineSurface& surface);
    void drawTip(TimelineSurface& surface);

    const TimelineIndex& index_;
    const TimelineState& state_;
    double width_;
    double height_;
    std::size_t boxes_ = 0;
};

}  // namespace loupe::views
