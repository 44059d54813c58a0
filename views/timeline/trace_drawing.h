// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Draws a trace: its tracks below each other, the zones of a visible range, counters, and the links of a selected zone.

#include <optional>
#include <set>
#include <vector>

#include "views/timeline/timeline_draw.h"
#include "views/timeline/trace_index.h"

namespace loupe::views {

struct TraceState {
    double from = 0;  // the visible range, in seconds
    double to = 1;
    double top = 0;  // pixels that are scrolled away
    std::optional<std::uint32_t> selected;
    std::set<std::uint32_t> folded;  // tracks of which one row is shown
    std::vector<bool> found;         // by text: a zone of that name is a match; empty: nothing is searched
    std::optional<double> mouse_x;
    double mouse_y = 0;
    bool has_range = false;
    double range_from = 0;
    double range_to = 0;
};

class TraceDrawing {
  public:
    static constexpr double kGutter = 156;
    static constexpr double kRow = 18;
    static constexpr double kCounter = 46;

    TraceDrawing(const TraceIndex& index, const TraceState& state, double width, double height)
        : index_(index), state_(state), width_(width), height_(height) {}

    void draw(TimelineSurface& surface);
    // Of all rows.
    double wantedHeight() const;
    double timeAt(double x) const { return state_.from + (x - kGutter) / scale(); }
    double xOf(double time) const { return kGutter + (time - state_.from) * scale(); }

    struct Hit {
        std::uint32_t zone = 0;
        std::size_t count = 1;  // of merged zones
        double start = 0;
        double end = 0;
    };
    std::optional<Hit> hit(double x, double y) const;
    // The track whose name is there.
    std::optional<std::uint32_t> trackNameAt(double x, double y) const;
    // Where a zone's row begins, from the first row.
    double rowOf(std::uint32_t zone) const;
    std::size_t boxesDrawn() const { return boxes_; }

  private:
    struct Row {
        const Lane* lane = nullptr;
        const TraceIndex::Track* track = nullptr;
        const TraceIndex::Counter* counter = nullptr;
        double y = 0;
        double height = 0;
        QString label;
        QString above;  // of the first row of a process: its name
    };
    double scale() const;
    std::vector<Row> rows() const;
    QRgb colourOf(const ProfileZone& zone) const;
    bool isFound(const Lane& lane, const Lane::Piece& piece) const;
    double axisStep(TimelineSurface& surface) const;
    void drawGrid(TimelineSurface& surface);
    void drawAxis(TimelineSurface& surface);
    void drawRow(TimelineSurface& surface, const Row& row);
    void drawCounter(TimelineSurface& surface, const Row& row);
    void drawLinks(TimelineSurface& surface);
    void drawNames(TimelineSurface& surface, const std::vector<Row>& rows);
    void drawRange(TimelineSurface& surface);
    void drawTrackTip(TimelineSurface& surface);
    void drawTip(TimelineSurface& surface);

    const TraceIndex& index_;
    const TraceState& state_;
    double width_;
    double height_;
    std::size_t boxes_ = 0;
};

// "(gen.py(6): <module>)" and long kernel names as a row has room for.
QString zoneLabel(const ProfileTrace& trace, const ProfileZone& zone);
// Of operators by their kind, of kernels, annotations and Python's functions by their category.
QColor zoneColour(std::string_view name, std::string_view category);

}  // namespace loupe::views
