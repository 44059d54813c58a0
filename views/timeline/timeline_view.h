// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The Timeline panel.

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QStackedWidget>
#include <QToolButton>
#include <array>

#include "views/common/view.h"
#include "views/timeline/timeline_draw.h"
#include "views/timeline/timeline_index.h"
#include "views/timeline/trace_pane.h"

namespace loupe::views {

class PanelBar;
class RankLanes;

class TimelineView : public View {
    Q_OBJECT

  public:
    static ViewDescription describe();
    TimelineView(SessionBridge& bridge, QWidget* parent);

    void fit() override;
    void find() override;
    void comeIntoSight() override;
    void addActions(QMenu& menu) override;

    const TimelineState& state() const { return state_; }
    const TimelineIndex& index() const { return index_; }
    QWidget* canvas() { return canvas_; }
    TracePane* traces() { return pane_; }
    void setForm(TracePane::Form form);
    // The trace that is shown by its path; empty: the run.
    void showSource(const QString& path);
    QComboBox* source() { return source_; }
    QComboBox* other() { return other_; }
    // All ranks of the run, a lane each, in place of the current one.
    void showRanks(bool shown);
    RankLanes* lanes() { return lanes_; }
    // Switches to Dear ImGui, where there is OpenGL. Not before the panel is visible: a window with an OpenGL widget
    // draws all widgets through OpenGL, which is slow in software.
    void useOpenGl();
    void zoomTo(double from, double to);
    void selectRange(double from, double to);

  protected:
    bool eventFilter(QObject* object, QEvent* event) override;

  private:
    class PainterCanvas;
    void use(QWidget* canvas);
    void makeBar();
    void makeRunPage();
    void takeTraces();
    void showPage();
    void askForRun();
    void copyTotals();
    void openOther();
    void keepRun();
    TracePtr traceOf(const QComboBox& choice) const;
    void takeRecording();
    void takeTimes();
    void layOut();
    void placeButtons();
    void takeEvents();
    void markMemory();
    void takeCurrent();
    void takeDifferences();
    void press(QMouseEvent* event);
    void move(QMouseEvent* event);
    void release(QMouseEvent* event);
    void wheel(QWheelEvent* event);
    bool key(QKeyEvent* event);
    TimelineDrawing drawing() const;

    TimelineIndex index_;
    TimelineState state_;
    ReferenceTimes reference_;
    std::shared_ptr<const session::Recording> recording_;  // owns the index's data
    QWidget* canvas_ = nullptr;
    bool has_open_gl_ = false;
    QStackedWidget* pages_ = nullptr;
    QWidget* run_page_ = nullptr;
    TracePane* pane_ = nullptr;
    RankLanes* lanes_ = nullptr;
    QToolButton* ranks_ = nullptr;  // while there are several
    PanelBar* bar_ = nullptr;
    std::array<QToolButton*, 3> forms_{};
    TracePane::Form form_ = TracePane::Form::Timeline;
    QComboBox* source_ = nullptr;  // what is shown: the run, or a trace that was opened
    QComboBox* other_ = nullptr;   // what its operators are compared with
    QToolButton* close_ = nullptr;
    QToolButton* keep_ = nullptr;
    int kept_runs_ = 0;
    bool wants_other_ = false;  // the next trace is compared with what is shown
    QLineEdit* search_ = nullptr;
    QLabel* note_ = nullptr;
    TracePtr run_trace_;  // the run as a trace, of as many events
    std::size_t run_trace_events_ = 0;
    std::shared_ptr<const session::Recording> run_traced_;
    QToolButton* follow_ = nullptr;
    QToolButton* time_ = nullptr;
    QToolButton* warm_ = nullptr;  // laid out by warm times, where there are any
    bool showing_all_ = true;
    std::size_t marked_ = 0;  // events whose blocks are marked
    QPointF pressed_;
    double pressed_from_ = 0;
    double pressed_to_ = 0;
    enum class Drag { None, Pan, Range } drag_ = Drag::None;
    bool moved_ = false;
};

}  // namespace loupe::views
