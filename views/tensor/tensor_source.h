// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where the panel Tensor has its elements from. An engine on this machine sends all of them. One far away sends a small
// picture of all tiles first, then what the display shows; what lies beside that is fetched when nothing else is.

#include <QObject>
#include <QTimer>
#include <vector>

#include "core/session/queries/tensor.h"
#include "views/common/session_bridge.h"

namespace loupe::views {

class TensorSource : public QObject {
    Q_OBJECT

  public:
    // Of all tiles together: a first picture, and what a panel can show.
    static constexpr int kFewElements = 4096;
    static constexpr int kManyElements = 512 * 512;

    TensorSource(SessionBridge& bridge, QObject* parent);

    // Answered by came(), of an engine far away mostly twice; of what was asked before nothing comes any more.
    void ask(const session::TensorRequest& request);
    // Which tile is shown, as fine as can be; -1: all of them side by side. For the slice that came last, and those
    // that come.
    void show(int tile);
    // What is likely to be asked next.
    void setNext(const std::vector<session::TensorRequest>& next);
    // There is more to come.
    bool isWaiting() const { return is_waiting_; }

  signals:
    void came(const session::TensorSlice& slice);

  private:
    void takeFew(const session::TensorSlice& slice);
    void takeMany(const session::TensorSlice& slice);
    void askMany();
    void fetch();
    bool isWhole(const session::TensorSlice& slice) const;
    session::TensorQuery few(const session::TensorRequest& request) const;
    session::TensorQuery many(int tile) const;

    SessionBridge& bridge_;
    const QString tag_;
    session::TensorRequest request_;
    session::TensorSlice shown_;  // the last that came
    std::vector<session::TensorRequest> next_;
    int tile_ = -1;
    bool is_waiting_ = false;
    bool has_come_ = false;
    QTimer soon_;
};

}  // namespace loupe::views
