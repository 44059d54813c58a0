// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/compare/compare_lists.h"

#include <QHeaderView>
#include <cmath>

#include "views/common/format.h"
#include "views/common/theme.h"

namespace loupe::views {

using session::Presence;
using session::RunDifferences;

namespace {

constexpr std::size_t kMostRows = 5000;

// Sorted by the number of a column where it has one.
class NumberItem : public QTreeWidgetItem {
  public:
    using QTreeWidgetItem::QTreeWidgetItem;
    bool operator<(const QTreeWidgetItem& other) const override {
        const int column = treeWidget() != nullptr ? treeWidget()->sortColumn() : 0;
        const QVariant mine = data(column, Qt::UserRole + 10);
        const QVariant theirs = other.data(column, Qt::UserRole + 10);
        if (mine.isValid() && theirs.isValid()) return mine.toDouble() < theirs.toDouble();
        return QTreeWidgetItem::operator<(other);
    }
    void setNumber(int column, double number, const QString& shown) {
        setText(column, shown);
        setData(column, Qt::UserRole + 10, number);
        setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    }
};

QTreeWidget* makeList(QWidget* parent, const QString& name, const QStringList& headers,
                      std::initializer_list<int> widths) {
    auto* list = new QTreeWidget(parent);
    list->setObjectName(name);
    list->setHeaderLabels(headers);
    list->setRootIsDecorated(false);
    list->setUniformRowHeights(true);
    list->setSortingEnabled(true);
    list->header()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    int column = 0;
    for (const int width : widths) list->setColumnWidth(column++, width);
    return list;
}

void addDifference(NumberItem& item, int column, const session::Difference& numbers) {
    item.setNumber(column, numbers.max_abs, differenceText(numbers, DifferenceColumn::MaxAbs));
    item.setNumber(column + 1, numbers.max_rel, differenceText(numbers, DifferenceColumn::Relative));
    item.setNumber(column + 2, numbers.max_ulp, differenceText(numbers, DifferenceColumn::Ulp));
    item.setNumber(column + 3, numbers.snr_db, differenceText(numbers, DifferenceColumn::Snr));
}

// That of a first run is faint: it contains what is set up once.
void addTime(NumberItem& item, int column, double seconds, bool is_warm) {
    item.setNumber(column, seconds, secondsText(seconds));
    if (is_warm) return;
    item.setForeground(column, Theme::instance().colour(Theme::Colour::Faint));
    item.setToolTip(column, QObject::tr("Of a first run, with what is set up once"));
}

}  // namespace

QTreeWidget* makeChangesList(QWidget* parent) {
    auto* list = makeList(parent, QStringLiteral("compareChanges"),
                          {QObject::tr("Change"), QObject::tr("Operator"), QObject::tr("Module"), QObject::tr("Output"),
                           QObject::tr("Why")},
                          {110, 150, 190, 90, 200});
    list->setAccessibleName(QObject::tr("What only one of the runs has"));
    list->sortByColumn(-1, Qt::AscendingOrder);
    return list;
}

QTreeWidget* makeParametersList(QWidget* parent) {
    auto* list = makeList(
        parent, QStringLiteral("compareParameters"),
        {QObject::tr("Parameter"), QObject::tr("\u0394 max"), QObject::tr("\u0394 relative"), QObject::tr("ULP"),
         QObject::tr("SNR"), QObject::tr("\u0394 gradient"), QObject::tr("In the reference")},
        {200, 84, 84, 76, 76, 84, 180});
    list->setAccessibleName(QObject::tr("Parameters beside the reference's"));
    list->sortByColumn(-1, Qt::AscendingOrder);
    return list;
}

QTreeWidget* makeCostsList(QWidget* parent) {
    auto* list =
        makeList(parent, QStringLiteral("compareCosts"),
                 {QObject::tr("Module"), QObject::tr("Time"), QObject::tr("Reference"), QObject::tr("Slower by"),
                  QObject::tr("Bytes made"), QObject::tr("Reference"), QObject::tr("Bigger by")},
                 {190, 80, 80, 90, 86, 86, 86});
    list->setAccessibleName(QObject::tr("Where this run is slower or bigger"));
    list->sortByColumn(3, Qt::DescendingOrder);
    return list;
}

void fillChanges(QTreeWidget& list, const RunDifferences& found, const session::Recording& recording) {
    list.clear();
    const Theme& theme = Theme::instance();
    std::size_t rows = 0;
    for (const session::EventDifference& row : found.events) {
        if (rows >= kMostRows) break;
        const bool has_other = row.there != 0;
        const session::ReferenceEvent* other = has_other ? &found.reference_events[row.there - 1] : nullptr;
        const session::Event* own =
            row.here != 0 && row.here <= recording.event_count() ? &recording.event(row.here) : nullptr;
        const bool is_replaced = own != nullptr && other != nullptr && other->op != session::kReferenceArray &&
                                 shortOpName(own->op) != shortOpName(other->op);
        if (own != nullptr && other != nullptr && !is_replaced && row.why.empty()) continue;
        if (own == nullptr && other == nullptr) continue;
        ++rows;
        auto* item = new NumberItem(&list);
        const bool is_added = other == nullptr;
        item->setText(0, is_added         ? QObject::tr("+ only here")
                         : own == nullptr ? QObject::tr("\u2212 only there")
                         : is_replaced    ? QObject::tr("\u2260 replaced")
                                          : QObject::tr("\u2260 differs"));
        item->setForeground(0, theme.colour(is_added         ? Theme::Colour::Good
                                            : own == nullptr ? Theme::Colour::Bad
                                                             : Theme::Colour::Warning));
        item->setText(1, is_replaced ? QStringLiteral("%1 \u2192 %2").arg(shortOpName(other->op), shortOpName(own->op))
                                     : shortOpName(own != nullptr ? own->op : other->op));
        item->setText(2, scopeText(own != nullptr ? own->scope : std::string_view(other->scope)));
        if (own != nullptr && !own->outputs.empty() && own->outputs.front() != 0)
            item->setText(3, shapeText(recording.value(own->outputs.front()).shape));
        else if (other != nullptr)
            item->setText(3, shapeText(other->shape));
        item->setText(4, text(row.why));
        item->setData(0, kHereRole, row.here);
        item->setData(0, kThereRole, row.there);
    }
}

void fillParameters(QTreeWidget& list, const RunDifferences& found) {
    list.setSortingEnabled(false);
    list.clear();
    const Theme& theme = Theme::instance();
    for (const session::ParameterDifference& row : found.parameters) {
        auto* item = new NumberItem(&list);
        item->setText(0, text(row.here.empty() ? row.there : row.here));
        item->setData(0, kNameRole, text(row.here));
        if (row.presence != Presence::Both) {
            item->setText(6, row.presence == Presence::OnlyHere ? QObject::tr("only here") : QObject::tr("only there"));
            item->setForeground(
                6, theme.colour(row.presence == Presence::OnlyHere ? Theme::Colour::Good : Theme::Colour::Bad));
            continue;
        }
        item->setText(6, row.there == row.here ? text(row.why) : text(row.there));
        if (row.numbers) {
            addDifference(*item, 1, *row.numbers);
            if (!row.numbers->is_close()) {
                for (int column = 0; column < 5; ++column)
                    item->setForeground(column, theme.colour(Theme::Colour::Bad));
            }
        }
        if (row.gradient)
            item->setNumber(5, row.gradient->max_abs, differenceText(*row.gradient, DifferenceColumn::MaxAbs));
    }
    list.setSortingEnabled(true);
}

void fillCosts(QTreeWidget& list, const RunDifferences& found) {
    list.setSortingEnabled(false);
    list.clear();
    const Theme& theme = Theme::instance();
    for (const session::ModuleDifference& row : found.modules) {
        if (row.seconds_here == 0 && row.seconds_there == 0) continue;
        auto* item = new NumberItem(&list);
        item->setText(0, scopeText(row.presence == Presence::OnlyThere ? row.there : row.here));
        item->setData(0, kNameRole, text(row.here));
        const double slower = found.has_times() ? row.seconds_here - row.seconds_there : 0;
        const auto bigger = static_cast<double>(row.bytes_here - row.bytes_there);
        addTime(*item, 1, row.seconds_here, found.is_warm_here);
        addTime(*item, 2, row.seconds_there, found.is_warm_there);
        if (found.has_times())
            item->setNumber(3, slower,
                            QStringLiteral("%1%2").arg(slower < 0 ? QStringLiteral("\u2212") : QStringLiteral("+"),
                                                       secondsText(std::fabs(slower))));
        else
            item->setToolTip(3, QObject::tr("Only warm times can be compared: Run > Time it properly, before pinning"));
        item->setNumber(4, static_cast<double>(row.bytes_here), bytesText(static_cast<double>(row.bytes_here)));
        item->setNumber(5, static_cast<double>(row.bytes_there), bytesText(static_cast<double>(row.bytes_there)));
        item->setNumber(6, bigger,
                        bigger == 0
                            ? QStringLiteral("\u2013")
                            : QStringLiteral("%1%2").arg(bigger < 0 ? QStringLiteral("\u2212") : QStringLiteral("+"),
                                                         bytesText(std::fabs(bigger))));
        // More than a tenth: less is noise.
        if (slower > 0.1 * row.seconds_there) item->setForeground(3, theme.colour(Theme::Colour::Warning));
        if (bigger > 0) item->setForeground(6, theme.colour(Theme::Colour::Warning));
    }
    list.setSortingEnabled(true);
}

}  // namespace loupe::views
