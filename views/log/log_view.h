// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Log: messages of the engine, with links to their origin.

#include "views/common/view.h"

class QListWidget;

namespace loupe::views {

class EmptyHint;

class LogView : public View {
    Q_OBJECT

  public:
    LogView(SessionBridge& bridge, QWidget* parent);
    static ViewDescription describe();

    QListWidget& list() { return *list_; }
    void addActions(QMenu& menu) override;

  private:
    void add(const SessionBridge::LogEntry& entry);
    void insert(int row, const SessionBridge::LogEntry& entry, bool isOlder);
    void label(int row);
    bool isOfEarlierRun(const SessionBridge::LogEntry& entry) const;
    void follow(int row);
    void copy();

    QListWidget* list_;
    EmptyHint* hint_;
    std::vector<SessionBridge::LogEntry> entries_;
    int older_ = 0;  // of them of a sitting before, which come first
};

}  // namespace loupe::views
