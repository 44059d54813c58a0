// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The Source to assembly panel: the model's source, its graph before and after a pipeline, the fused kernels and their
// assembly side by side, in the colours of the source lines that they came from.

#include <QComboBox>
#include <QLabel>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>
#include <array>

#include "views/common/view.h"
#include "views/lines/linked_lines.h"
#include "views/lines/listing_pane.h"

namespace loupe::views {

class ElidedLabel;

class LinesView : public View {
    Q_OBJECT

  public:
    enum Side { Source, Before, After, Kernel, Assembly, SideCount };

    static ViewDescription describe();
    LinesView(SessionBridge& bridge, QWidget* parent);

    void find() override { panes_[Source]->setFocus(); }
    void addActions(QMenu& menu) override;
    bool isSettled() const override { return waiting_ == 0; }

    void compile();
    // Replaces replies of the session, for tests.
    void showLines(const session::PassTrace& trace, const session::FusedGroups& groups);
    ListingPane* pane(Side side) { return panes_[side]; }
    QComboBox* pipeline() { return pipeline_; }
    QComboBox* groups() { return group_; }
    QComboBox* functions() { return function_; }
    QComboBox* kernelText() { return kernel_text_; }

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    void makeBar(QVBoxLayout* layout);
    void makePanes(QVBoxLayout* layout);
    void showState();
    void takeModel();
    void fillChoices();
    void fillFunctions();
    void fillPanes();
    void follow(Side from, const std::set<int>& keys, bool scroll);
    void showFileOf(Side from, const std::set<int>& keys);
    std::set<int> filtered() const;
    QString sourceText(const std::string& file) const;
    QString whyNoKernels() const;

    QComboBox* pipeline_ = nullptr;
    QToolButton* run_ = nullptr;
    QComboBox* file_ = nullptr;
    QComboBox* function_ = nullptr;
    QComboBox* group_ = nullptr;
    QComboBox* kernel_text_ = nullptr;
    ElidedLabel* note_ = nullptr;
    QSplitter* splitter_ = nullptr;
    std::array<ListingPane*, SideCount> panes_{};
    std::array<QToolButton*, SideCount> shows_{};
    session::PassTrace trace_;
    session::FusedGroups groups_;
    LineLinks links_;
    std::vector<SourceFunction> functions_;
    std::set<int> chosen_;  // stay marked when the mouse leaves
    QString of_;            // the pipeline of what is shown
    int waiting_ = 0;
    int asked_ = 0;
    bool was_asked_ = false;
};

}  // namespace loupe::views
