// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The Tensor panel: any value of the recording, any parameter and its gradient.

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QTextBrowser>
#include <QToolButton>

#include "core/study/reference.h"
#include "views/common/view.h"
#include "views/tensor/tensor_grid_model.h"
#include "views/tensor/tensor_picture.h"

class QCustomPlot;
class QCPBars;
class QCPItemRect;
class QCPItemText;

namespace loupe::views {

class BesidePictures;
class TensorSource;

class TensorView : public View {
    Q_OBJECT

  public:
    enum class Display { HeatMap, Tiles, Image, Line, Grid };

    static ViewDescription describe();
    TensorView(SessionBridge& bridge, QWidget* parent);

    void find() override;
    void fit() override { picture_->fit(); }
    void addActions(QMenu& menu) override;
    bool isSettled() const override;
    // The display too, where the user chose it.
    QJsonObject keptState() const override;
    void takeState(const QJsonObject& state) override;

    // A value of the recording, or by name ("conv1.weight", "grad:conv1.weight").
    void showValue(session::ValueId value);
    void showName(const QString& name);
    // What an event of the current reference made; until another tensor is chosen.
    void showReference(session::EventId there);
    void setDisplay(Display display);
    void setSliceText(const QString& slice);
    void setLocked(bool locked);
    const session::TensorSlice& slice() const { return slice_; }
    TensorPicture* picture() { return picture_; }
    // Replaces a reply of the session, for tests.
    void showSlice(const session::TensorSlice& slice);
    TensorGridModel* grid() { return grid_; }

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    struct Choice {
        QString label;
        session::ValueId value = 0;
        QString name;
        QString parameter;  // path of the parameter or buffer, for a value from before the run
    };
    void buildControls(QLayout* layout);
    QLayout* buildChoice(QWidget* bar);
    QLayout* buildDisplay(QWidget* bar);
    QDoubleSpinBox* buildLimit(QWidget* bar, const QString& tip);
    QWidget* buildSide();
    void divide();
    void takeCurrent();
    void takeSlice(const QString& slice);
    void takeNamed(const QString& name);
    void fillChoices(session::EventId event);
    bool isArgument(const std::string& name) const;
    void choose(int index);
    void ask();
    std::vector<session::TensorRequest> likelyNext() const;
    void askNames();
    void askBeside();
    void makeNotes(QWidget* left, QLayout* column);
    void noteBeside(const session::TensorComparison& found);
    void showBeside(const session::TensorComparison& found);
    void showNames(std::vector<QStringList> names);
    void automaticDisplay();
    void applyColours();
    void applyDisplay();
    void fillStatistics();
    QString originRow() const;
    void fillHistogram();
    void hatchNotFinite(double share);
    void fillHistory();
    void saveArray();
    void savePicture();
    void report(const QString& error);
    QString numbersText() const;

    TensorSource* source_;
    QComboBox* choice_ = nullptr;
    QToolButton* lock_ = nullptr;
    QLineEdit* slice_edit_ = nullptr;
    QLineEdit* permute_ = nullptr;
    QComboBox* display_ = nullptr;
    QComboBox* map_ = nullptr;
    QComboBox* tile_ = nullptr;
    QDoubleSpinBox* low_ = nullptr;
    QDoubleSpinBox* high_ = nullptr;
    QToolButton* automatic_ = nullptr;
    QLabel* title_ = nullptr;
    QLabel* error_ = nullptr;
    QLabel* hover_ = nullptr;
    QSplitter* splitter_ = nullptr;
    QLabel* empty_ = nullptr;
    QSplitter* details_ = nullptr;
    bool user_split_ = false;
    QStackedWidget* stack_ = nullptr;
    TensorPicture* picture_ = nullptr;
    QLabel* beside_note_ = nullptr;
    BesidePictures* beside_ = nullptr;  // the reference's and the difference
    QTableView* table_ = nullptr;
    TensorGridModel* grid_ = nullptr;
    QCustomPlot* histogram_ = nullptr;
    QCPBars* bars_ = nullptr;
    QCPItemRect* not_finite_ = nullptr;  // the part of the histogram for NaN and Inf
    QCPItemText* not_finite_label_ = nullptr;
    double not_finite_width_ = 0;  // of the whole
    QTextBrowser* facts_ = nullptr;
    QListWidget* history_ = nullptr;

    std::vector<Choice> choices_;
    session::TensorRequest request_;
    session::EventId reference_event_ = 0;  // shown instead of the request's; 0: none
    session::TensorSlice slice_;
    session::Shape shape_before_;  // the display is chosen again when the shape is another
    QString given_slice_;
    bool user_display_ = false;
    bool waiting_ = false;
};

}  // namespace loupe::views
