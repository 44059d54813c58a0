// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Starts the engines of N ranks by a launcher's command, and opens a model in each.

#include <QObject>
#include <memory>

#include "core/base/cancel.h"
#include "views/common/session_bridge.h"

namespace loupe::window {

class RankLauncher : public QObject {
    Q_OBJECT

  public:
    RankLauncher(views::SessionBridge& bridge, QObject* parent);
    ~RankLauncher() override;

    // In the background; ends in started() or failed().
    void start(const QString& file, int ranks);
    bool isStarting() const { return is_starting_; }

    // "mpirun -n {ranks} ... {engine} --stdio": kept in the settings.
    static QString command();
    static void setCommand(const QString& command);

  signals:
    void started();
    void failed(const QString& why);

  private:
    views::SessionBridge& bridge_;
    bool is_starting_ = false;
    const std::shared_ptr<CancelFlag> is_left_;  // for the thread that starts them
};

}  // namespace loupe::window
