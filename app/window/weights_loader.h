// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Loads a checkpoint into the open model, and shows their differences.

#include <QObject>

#include "views/common/session_bridge.h"

class QDialog;
class QTreeWidget;

namespace loupe::window {

class Banner;

class WeightsLoader : public QObject {
    Q_OBJECT

  public:
    WeightsLoader(views::SessionBridge& bridge, Banner& banner, QWidget* window);

    // Why no checkpoint can be loaded now; empty when one can.
    QString whyNot() const;
    // Is it a checkpoint that may be meant for the model there is, not a model itself?
    bool takes(const QString& file) const;
    void choose();
    void load(const QString& file, bool strict);
    // Of the last file that did not fit whole; null before.
    QTreeWidget* list() const { return list_; }
    void showDifferences();

  signals:
    // The file is to be opened as a separate model.
    void openWanted(const QString& file);

  private:
    void tell(const session::WeightsReport& report, bool strict);
    void makeDialog();

    views::SessionBridge& bridge_;
    Banner& banner_;
    QWidget* window_;
    session::WeightsReport report_;
    QDialog* dialog_ = nullptr;
    QTreeWidget* list_ = nullptr;
};

}  // namespace loupe::window
