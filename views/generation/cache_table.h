// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The keys and values that each layer keeps, as tensors and by their memory.

#include <QWidget>
#include <memory>

#include "core/session/generation.h"

class QLabel;
class QTreeWidget;

namespace loupe::views {

class CacheTable : public QWidget {
    Q_OBJECT

  public:
    explicit CacheTable(QWidget* parent = nullptr);

    // Null: nothing was generated.
    void setGeneration(const session::Generation* generation);
    QTreeWidget* list() { return list_; }
    QString summary() const;

  signals:
    // A tensor of the shown run.
    void valueWanted(session::ValueId value);

  private:
    QLabel* summary_;
    QTreeWidget* list_;
};

}  // namespace loupe::views
