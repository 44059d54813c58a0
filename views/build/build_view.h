// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The Build panel: a model from a palette of layers, with the input and output of each, and its source.

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTimer>
#include <QToolButton>
#include <QTreeWidget>

#include "views/common/view.h"

class QSplitter;

namespace loupe::views {

class BuildView : public View {
    Q_OBJECT

  public:
    static ViewDescription describe();
    BuildView(SessionBridge& bridge, QWidget* parent);

    void find() override;
    void addActions(QMenu& menu) override;
    QString emptyNote() const override { return written_.isEmpty() ? tr("No model was built here.") : QString(); }
    bool isSettled() const override { return !waiting_ && !timer_.isActive(); }

    QTreeWidget* palette() { return palette_; }
    QTreeWidget* layers() { return layers_; }
    QPlainTextEdit* source() { return source_; }
    QLineEdit* input() { return input_; }
    QComboBox* templates() { return templates_; }
    // Behind the chosen row, or at the end.
    void addLayer(const QString& name);
    void removeLayer();
    void moveLayer(int by);
    // Applies a check's proposal for the row.
    void mend(int row);
    // Writes the source to the file and opens it as a model. Empty, or why not.
    QString openAs(const QString& file);

  private:
    QString written_;  // the file that it wrote last
    QLayout* makeBar();
    QWidget* makeInput();
    void makeListPane(QSplitter* right);
    void makeSourcePane(QSplitter* right);
    void makePalette();
    void makeLayers();
    void fillPalette();
    void filterPalette(const QString& words);
    void useTemplate(int index);
    void openModel();
    void insertCall(const session::LayerInfo& layer);
    QStringList layerTexts() const;
    void setLayers(const std::vector<std::string>& texts);
    session::BuildRequest request() const;
    void layersEdited();
    void sourceEdited();
    void checkSoon();
    void check();
    void showCheck(const session::BuildCheck& check);
    QString inputOf(int row) const;

    std::vector<session::LayerInfo> infos_;
    QComboBox* templates_;
    QLineEdit* input_;
    QLabel* summary_;
    QLineEdit* search_;
    QTreeWidget* palette_;
    QTreeWidget* layers_;
    QToolButton* mend_;
    QLabel* message_;
    QPlainTextEdit* source_;
    QLabel* source_note_;
    QWidget* list_pane_;  // the list and its buttons
    QTimer timer_;
    session::BuildCheck check_;
    bool filling_ = false;
    bool is_sequential_ = true;  // the source is generated from the list
    int asked_ = 0;              // the newest check
    bool waiting_ = false;
};

}  // namespace loupe::views
