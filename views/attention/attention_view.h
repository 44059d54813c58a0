// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The Attention panel: which tokens attend to which, by layer and head.

#include "core/session/queries/attention_map.h"
#include "core/session/queries/attentions.h"
#include "views/common/view.h"

class QComboBox;
class QLabel;
class QSpinBox;

namespace loupe::views {

class AttentionPicture;
class ElidedLabel;
class EmptyHint;
class HeadTiles;

class AttentionView : public View {
    Q_OBJECT

  public:
    static ViewDescription describe();
    AttentionView(SessionBridge& bridge, QWidget* parent);

    void find() override;
    void fit() override;
    bool isSettled() const override { return !waiting_; }
    void addActions(QMenu& menu) override;
    void comeIntoSight() override;

    QComboBox* sites() { return sites_; }
    QComboBox* heads() { return heads_; }
    AttentionPicture* picture() { return picture_; }
    HeadTiles* tiles() { return tiles_; }
    // Of the cell that was pointed at, or chosen, last.
    QString said() const;

  private:
    void askSites();
    void showSites(const session::Attentions& found);
    void chooseSite(int index);
    void chooseHead(int head);  // -1: the mean of all
    void askMap();
    void showMap(const session::AttentionMap& map);
    void followCurrent();
    void showHint(const QString& why);
    void savePicture();

    QComboBox* sites_;
    QComboBox* heads_;
    QSpinBox* batch_;
    ElidedLabel* facts_;
    AttentionPicture* picture_;
    HeadTiles* tiles_;
    QLabel* hover_;
    EmptyHint* hint_;
    std::vector<session::AttentionSite> found_;
    std::shared_ptr<const session::Recording> found_in_;
    std::size_t found_at_ = 0;  // events of the recording then
    int head_ = -1;
    bool waiting_ = false;
    bool is_due_ = false;  // hidden when it was to be asked
    bool choosing_ = false;
};

}  // namespace loupe::views
