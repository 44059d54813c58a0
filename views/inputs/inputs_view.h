// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Inputs: inputs and options of the next run.

#include <set>
#include <string>

#include "views/common/view.h"
#include "views/inputs/input_memory.h"

class QCheckBox;
class QLineEdit;
class QPushButton;
class QComboBox;
class QLabel;
class QScrollArea;
class QSpinBox;
class QTableView;

class QBoxLayout;
class QLayout;

namespace loupe::views {

class BackwardForm;
class ConstructorBar;
class ReleaseBar;
class DrawingPad;
class InputModel;

class InputsView : public View {
    Q_OBJECT

  public:
    InputsView(SessionBridge& bridge, QWidget* parent);
    static ViewDescription describe();

    InputModel& model() { return *model_; }
    QTableView& table() { return *table_; }
    DrawingPad& pad() { return *pad_; }
    BackwardForm& backwardForm() { return *from_; }
    ConstructorBar& constructors() { return *constructors_; }
    // Scrolls to the arguments that the model is built with.
    void showConstructor();
    // The model's prediction, after a run; empty for other models.
    QString answer() const;
    // An .npz sets all inputs by number; any other file the selected one.
    void takeFile(const QString& file);
    static bool feeds(const QString& file);

    void addActions(QMenu& menu) override;

  signals:
    // A file could not feed an input.
    void refused(const QString& why);
    // What takeFile() was given is what the arguments are now.
    void taken();

  protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    void takeAll(const QString& file);
    void refuse(const QString& why);
    void fitTable();
    void makeTable();
    void makeDrawingAndText();
    void makeAnswer();
    void makeLayout();
    QLayout* makeButtons();
    QWidget* makeOptions();
    void connectBridge();
    void showStatus();
    void showInputs();
    void showOptions();
    void takeOptions();
    void showWhyNoBackward();
    void chooseFile();
    void showPreview();
    void showAnswer();
    void showNextWords();
    void takeDrawing();
    void takeText();
    void takeTokens();
    void useArray(int row, const QString& file, const session::Shape& shape, const char* dtype);
    void recall();
    void keep();
    std::optional<RememberedInputs> fromComparedModel() const;
    void runWhenStill();
    int pictured() const;
    int worded() const;

    QBoxLayout* below_ = nullptr;
    InputModel* model_;
    QTableView* table_;
    QLabel* signature_;
    DrawingPad* pad_;
    ReleaseBar* release_;
    ConstructorBar* constructors_;
    QScrollArea* scroll_ = nullptr;
    QPushButton* clear_;
    QLineEdit* words_;
    QLabel* answer_;
    QPushButton* run_ = nullptr;
    QCheckBox* backward_;
    BackwardForm* from_ = nullptr;
    QCheckBox* statistics_;
    QCheckBox* parts_;
    QComboBox* mode_;
    QComboBox* pipeline_;
    QComboBox* compile_;
    QSpinBox* threads_;
    QSpinBox* seed_;
    bool showing_ = false;
    std::string waits_to_run_;                     // path of the model whose inputs were changed while it ran
    bool recalled_ = true;                         // false: the stored settings of a new model are not applied yet
    std::optional<RememberedInputs> before_;       // of the model that was open before
    std::set<std::string, std::less<>> left_out_;  // as the panel Modules ticked last
};

}  // namespace loupe::views
