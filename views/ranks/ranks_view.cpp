// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/ranks/ranks_view.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QListWidget>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>

#include "views/common/bar_delegate.h"
#include "views/common/empty_hint.h"
#include "views/common/format.h"
#include "views/common/panel_bar.h"
#include "views/common/ranks.h"
#include "views/common/theme.h"
#include "views/ranks/collective_model.h"
#include "views/ranks/rank_model.h"

namespace loupe::views {
namespace {

enum FindingRole { FindingNumberRole = Qt::UserRole, OtherRole };

}  // namespace

ViewDescription RanksView::describe() {
    return {QStringLiteral("ranks"), tr("Ranks"),
            tr("The processes of a distributed run: which rank differs from the others and where that begins, which "
               "collectives do not match, and who waited for whom. Click a row to go to that rank and event."),
            QStringLiteral("ranks"), Place::Bottom};
}

RanksView::RanksView(SessionBridge& bridge, QWidget* parent)
    : View(bridge, parent),
      rank_model_(new RankModel(bridge, this)),
      collective_model_(new CollectiveModel(bridge, this)),
      sorted_(new QSortFilterProxyModel(this)),
      findings_(new QListWidget(this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    findings_->setAccessibleName(tr("What is wrong between the ranks"));
    findings_->setObjectName(QStringLiteral("rankFindings"));
    findings_->setWordWrap(true);
    findings_->setTextElideMode(Qt::ElideNone);
    findings_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    findings_->setSizeAdjustPolicy(QAbstractScrollArea::AdjustToContents);
    connect(findings_, &QListWidget::itemClicked, this, &RanksView::follow);
    connect(findings_, &QListWidget::itemActivated, this, &RanksView::follow);

    ranks_ = makeTable(rank_model_, QStringLiteral("rankTable"), tr("Ranks"), {44, 260, 116, 74, 92, 74, 60, 66, 62});
    sorted_->setSourceModel(collective_model_);
    sorted_->setSortRole(CollectiveModel::SortRole);
    collectives_ = makeTable(sorted_, QStringLiteral("collectiveTable"), tr("Collectives"), {106, 84, 68, 66, 70, 96});
    collectives_->setSortingEnabled(true);
    collectives_->sortByColumn(CollectiveModel::Name, Qt::AscendingOrder);
    connect(ranks_, &QTreeView::clicked, this, [this](const QModelIndex& index) {
        if (index.isValid()) Ranks::of(this->bridge()).goTo(static_cast<std::size_t>(index.row()));
    });
    connect(ranks_, &QTreeView::activated, this, [this](const QModelIndex& index) {
        if (index.isValid()) Ranks::of(this->bridge()).goTo(static_cast<std::size_t>(index.row()));
    });
    connect(collectives_, &QTreeView::clicked, this, &RanksView::followCollective);
    connect(collectives_, &QTreeView::activated, this, &RanksView::followCollective);

    auto* tables = new QSplitter(Qt::Horizontal, this);
    tables->setObjectName(QStringLiteral("rankTables"));
    tables->addWidget(ranks_);
    tables->addWidget(collectives_);
    tables->setSizes({680, 440});
    layout->addWidget(findings_);
    layout->addWidget(tables, 1);
    summary_ = faintLine(this);
    summary_->setContentsMargins(6, 2, 6, 2);
    layout->addWidget(summary_);
    hint_ = new EmptyHint(this);
    setFocusProxy(ranks_);

    Ranks& ranks = Ranks::of(bridge);
    connect(&ranks, &Ranks::changed, this, &RanksView::renew);
    connect(&ranks, &Ranks::studied, this, &RanksView::renew);
    connect(&ranks, &Ranks::moved, rank_model_, &RankModel::renew);
    connect(&bridge, &SessionBridge::seatGrown, rank_model_, &RankModel::renew);
    renew();
}

QTreeView* RanksView::makeTable(QAbstractItemModel* model, const QString& name, const QString& title,
                                const std::vector<int>& widths) {
    auto* table = new QTreeView(this);
    table->setObjectName(name);
    table->setAccessibleName(title);
    table->setModel(model);
    table->setItemDelegate(new BarDelegate(table));
    table->setRootIsDecorated(false);
    table->setUniformRowHeights(true);
    table->setAllColumnsShowFocus(true);
    table->header()->setStretchLastSection(false);
    for (std::size_t i = 0; i < widths.size(); ++i) table->setColumnWidth(static_cast<int>(i), widths[i]);
    return table;
}

bool RanksView::isSettled() const { return Ranks::of(bridge()).isSettled(); }

void RanksView::renew() {
    const Ranks& ranks = Ranks::of(bridge());
    hint_->say(ranks.isOn() ? QString()
                            : tr("One process.\nOpen a recording that lies beside those of other ranks (step.loupe, "
                                 "step.rank1.loupe), or Run > Run on N processes\u2026"));
    rank_model_->renew();
    if (collective_model_->report() != ranks.report().get()) collective_model_->renew();
    showFindings();
    showCurrent();
}

void RanksView::showFindings() {
    const Ranks& ranks = Ranks::of(bridge());
    findings_->clear();
    const auto add = [this](const QString& title, const QString& said, Theme::Colour tone, int number) {
        auto* item = new QListWidgetItem(title.isEmpty() ? said : tr("%1 \u2013 %2").arg(title, said), findings_);
        item->setData(Qt::ForegroundRole, Theme::themed(tone));
        item->setData(FindingNumberRole, number);
        item->setToolTip(said);
    };
    if (!ranks.problem().isEmpty()) add({}, ranks.problem(), Theme::Colour::Bad, -1);
    const auto& report = ranks.report();
    summary_->setText({});
    if (report) {
        for (const Said& problem : report->set.problems) add({}, text(problem), Theme::Colour::Warning, -1);
        for (std::size_t i = 0; i < report->findings.size(); ++i)
            add(text(report->findings[i].title), text(report->findings[i].text), Theme::Colour::Bad,
                static_cast<int>(i));
        if (const int dead = ranks.deadSeat(); dead >= 0) {
            const auto seat = static_cast<std::size_t>(dead);
            add({}, tr("%1: %2").arg(ranks.nameOf(seat), text(bridge().sessionAt(seat).engine_end().text)),
                Theme::Colour::Bad, -1);
        } else if (!report->is_wrong())
            add({},
                report->matched.empty() ? tr("No collectives, and nothing differs that should be equal")
                : report->matched.size() == 1
                    ? tr("The only collective matches, and nothing differs that should be equal")
                    : tr("All %1 match, and nothing differs that should be equal")
                          .arg(counted(static_cast<std::int64_t>(report->matched.size()), "collective")),
                Theme::Colour::Good, -1);
        double waited = 0;
        for (const session::RankWaits& each : report->waits) waited += each.waited;
        const auto most = std::max_element(
            report->waits.begin(), report->waits.end(),
            [](const session::RankWaits& a, const session::RankWaits& b) { return a.made_wait < b.made_wait; });
        if (most != report->waits.end() && most->made_wait > 0) {
            const auto place = static_cast<std::size_t>(most - report->waits.begin());
            summary_->setText(tr("%1, %2; ranks waited %3 together, for rank %4 alone %5")
                                  .arg(counted(static_cast<std::int64_t>(report->set.ranks.size()), "rank"),
                                       counted(static_cast<std::int64_t>(report->matched.size()), "collective"),
                                       secondsText(waited))
                                  .arg(report->set.ranks[place].rank())
                                  .arg(secondsText(most->made_wait)));
        }
    } else if (ranks.isOn() && ranks.problem().isEmpty()) {
        bool has_run = false;
        for (std::size_t seat = 0; seat < bridge().seatCount(); ++seat)
            has_run |= bridge().recordingAt(seat) != nullptr;
        add({}, has_run ? tr("Looking at the ranks\u2026") : tr("Nothing has run yet: run the model (F5)"),
            Theme::Colour::Faint, -1);
    }
    // As high as its lines, up to a part of the panel.
    int high = 2 * findings_->frameWidth();
    for (int row = 0; row < findings_->count(); ++row) high += findings_->sizeHintForRow(row);
    findings_->setFixedHeight(std::clamp(high, 24, std::max(48, height() / 3)));
}

void RanksView::showCurrent() {
    if (!Ranks::of(bridge()).isOn()) return;
    ranks_->setCurrentIndex(rank_model_->index(static_cast<int>(bridge().currentSeat()), 0));
}

void RanksView::follow(QListWidgetItem* item) {
    const int number = item->data(FindingNumberRole).toInt();
    const auto& report = Ranks::of(bridge()).report();
    if (number < 0 || !report || number >= static_cast<int>(report->findings.size())) return;
    Ranks::of(bridge()).goTo(report->findings[static_cast<std::size_t>(number)].spot);
}

// To the rank that came last.
void RanksView::followCollective(const QModelIndex& index) {
    const auto number = static_cast<std::size_t>(index.data(CollectiveModel::NumberRole).toULongLong());
    const auto* report = collective_model_->report();
    if (report == nullptr || number >= report->matched.size()) return;
    const session::MatchedCollective& each = report->matched[number];
    auto place = static_cast<std::size_t>(std::max(0, report->times[number].last));
    while (place < each.index.size() && each.index[place] < 0) ++place;
    if (place >= each.index.size()) return;
    const session::Collective* own = each.on(report->set, place);
    Ranks::of(bridge()).goTo({.rank = report->set.ranks[place].rank(), .event = own->event, .value = 0, .place = {}});
}

void RanksView::addActions(QMenu& menu) {
    Ranks& ranks = Ranks::of(bridge());
    QAction* copy = menu.addAction(tr("Copy what was found"), this, [this] {
        QStringList lines;
        for (int row = 0; row < findings_->count(); ++row) lines << findings_->item(row)->text();
        QApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
    });
    copy->setEnabled(findings_->count() > 0);
    // The same finding on a rank that is as most are.
    const QListWidgetItem* item = findings_->currentItem();
    const int number = item != nullptr ? item->data(FindingNumberRole).toInt() : -1;
    const auto report = ranks.report();
    const bool has_other = report && number >= 0 && number < static_cast<int>(report->findings.size()) &&
                           report->findings[static_cast<std::size_t>(number)].other.rank >= 0;
    QAction* other = menu.addAction(tr("Go to the same on another rank"), this, [&ranks, report, number] {
        ranks.goTo(report->findings[static_cast<std::size_t>(number)].other);
    });
    other->setEnabled(has_other);
    other->setToolTip(has_other ? tr("On a rank that is as most are") : tr("Not now: no finding is selected"));
}

}  // namespace loupe::views
