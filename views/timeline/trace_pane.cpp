// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/trace_pane.h"

#include <QHeaderView>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSortFilterProxyModel>
#include <QSplitter>

#include "views/common/format.h"
#include "views/common/theme.h"

namespace loupe::views {
namespace {

constexpr int kMostArgument = 2000;  // characters of one
constexpr std::size_t kMostLinks = 40;

QString argumentText(const QJsonValue& value) {
    QString text;
    if (value.isString())
        text = value.toString();
    else if (value.isArray())
        text = QString::fromUtf8(QJsonDocument(value.toArray()).toJson(QJsonDocument::Compact));
    else if (value.isObject())
        text = QString::fromUtf8(QJsonDocument(value.toObject()).toJson(QJsonDocument::Compact));
    else
        text = value.toVariant().toString();
    return text.left(kMostArgument).toHtmlEscaped();
}

QString row(const QString& name, const QString& value) {
    return QStringLiteral("<tr><td style=\"color:%1; padding-right:8px\">%2</td><td>%3</td></tr>")
        .arg(Theme::instance().colour(Theme::Colour::Faint).name(), name, value);
}

}  // namespace

TracePane::TracePane(QWidget* parent) : QStackedWidget(parent) {
    addWidget(makeTimeline());
    addWidget(makeOperators());
    addWidget(makeFlame());
}

// Beside the graph of two: what changed most; a click shows it in the graph.
QWidget* TracePane::makeFlame() {
    auto* splitter = new QSplitter(Qt::Horizontal, this);
    flame_ = new FlameCanvas(splitter);
    changed_ = new ChangedStacks(this);
    auto* sorted = new QSortFilterProxyModel(this);
    sorted->setSourceModel(changed_);
    sorted->setSortRole(ChangedStacks::kSortRole);
    changed_table_ = new QTreeView(splitter);
    changed_table_->setObjectName(QStringLiteral("changedStacks"));
    changed_table_->setAccessibleName(tr("Call stacks whose own time differs most"));
    changed_table_->setModel(sorted);
    changed_table_->setRootIsDecorated(false);
    changed_table_->setUniformRowHeights(true);
    changed_table_->setSortingEnabled(true);
    changed_table_->sortByColumn(ChangedStacks::Change, Qt::DescendingOrder);
    changed_table_->header()->setStretchLastSection(false);
    changed_table_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    for (int i = 1; i < ChangedStacks::kColumns; ++i) changed_table_->header()->resizeSection(i, 76);
    changed_table_->setTextElideMode(Qt::ElideLeft);
    changed_table_->hide();
    splitter->setStretchFactor(0, 1);
    splitter->setSizes({760, 420});
    connect(changed_table_->selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this, sorted](const QModelIndex& index) {
                if (index.isValid()) flame_->zoomTo(changed_->node(sorted->mapToSource(index).row()));
            });
    return splitter;
}

// When it is looked at: it takes as long as the traces are large.
void TracePane::compareFlames() {
    if (form() != Form::Flame || compared_ == std::pair(trace_, other_)) return;
    compared_ = {trace_, other_};
    FlameDifferencePtr difference;
    if (trace_ && other_)
        difference = std::make_shared<const session::FlameDifference>(
            session::compare_flames(trace_->trace, trace_->flame, other_->trace, other_->flame));
    flame_->setDifference(difference);
    changed_->setDifference(difference);
    changed_table_->setVisible(difference != nullptr);
}

QWidget* TracePane::makeTimeline() {
    auto* splitter = new QSplitter(Qt::Horizontal, this);
    canvas_ = new TraceCanvas(splitter);
    details_ = new QTextBrowser(splitter);
    details_->setObjectName(QStringLiteral("zoneDetails"));
    details_->setAccessibleName(tr("The selected event"));
    details_->setOpenLinks(false);
    details_->setFrameShape(QFrame::NoFrame);
    details_->hide();
    splitter->setStretchFactor(0, 1);
    splitter->setSizes({760, 300});
    connect(canvas_, &TraceCanvas::selected, this, &TracePane::showZone);
    connect(details_, &QTextBrowser::anchorClicked, this,
            [this](const QUrl& link) { canvas_->select(link.path().toUInt()); });
    return splitter;
}

QWidget* TracePane::makeOperators() {
    auto* splitter = new QSplitter(Qt::Horizontal, this);
    totals_ = new TotalsModel(this);
    sorted_ = new QSortFilterProxyModel(this);
    sorted_->setSourceModel(totals_);
    sorted_->setSortRole(TotalsModel::kSortRole);
    sorted_->setFilterCaseSensitivity(Qt::CaseInsensitive);
    sorted_->setFilterKeyColumn(-1);
    table_ = new QTreeView(splitter);
    table_->setObjectName(QStringLiteral("operatorTotals"));
    table_->setAccessibleName(tr("Operators over all their calls"));
    table_->setModel(sorted_);
    table_->setRootIsDecorated(false);
    table_->setUniformRowHeights(true);
    table_->setSortingEnabled(true);
    table_->header()->setStretchLastSection(false);
    histogram_ = new TotalsHistogram(splitter);
    splitter->setStretchFactor(0, 1);
    splitter->setSizes({760, 280});
    connect(table_->selectionModel(), &QItemSelectionModel::currentChanged, this, &TracePane::showHistogram);
    return splitter;
}

void TracePane::setTrace(TracePtr trace, TracePtr other) {
    if (trace != trace_) {
        canvas_->setTrace(trace);
        flame_->setTrace(trace);
        details_->hide();
    }
    trace_ = std::move(trace);
    other_ = std::move(other);
    if (!trace_)
        totals_->setTotals({});
    else if (other_)
        totals_->setDifferences(session::compare_totals(trace_->totals, other_->totals));
    else
        totals_->setTotals(trace_->totals);
    setColumns();
    showHistogram();
    compareFlames();
}

void TracePane::setColumns() {
    const int one[] = {0, 120, 70, 84, 84, 84, 84, 84, 84};
    const int two[] = {0, 120, 74, 74, 88, 88, 76, 104};
    table_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    for (int i = 1; i < totals_->columnCount(); ++i)
        table_->header()->resizeSection(i, totals_->isOfTwo() ? two[i] : one[i]);
    table_->sortByColumn(
        totals_->isOfTwo() ? static_cast<int>(TotalsModel::Change) : static_cast<int>(TotalsModel::Total),
        Qt::DescendingOrder);
    histogram_->setVisible(!totals_->isOfTwo());
}

void TracePane::setForm(Form form) {
    setCurrentIndex(static_cast<int>(form));
    compareFlames();
}

void TracePane::fit() { form() == Form::Flame ? flame_->fit() : canvas_->fit(); }

QString TracePane::search(const QString& words) {
    flame_->search(words);
    sorted_->setFilterFixedString(words);
    const std::size_t count = canvas_->search(words);
    return words.isEmpty() ? QString() : counted(static_cast<std::int64_t>(count), "match", "matches");
}

void TracePane::showHistogram() {
    const QModelIndex index = table_->currentIndex();
    if (totals_->isOfTwo() || totals_->rowCount() == 0) return histogram_->show({});
    const int at = index.isValid() ? sorted_->mapToSource(index).row() : 0;
    histogram_->show(totals_->totals(at));
}

void TracePane::showZone(std::uint32_t number) {
    details_->setVisible(number != ProfileZone::kNone);
    if (number == ProfileZone::kNone) return;
    const ProfileTrace& trace = trace_->trace;
    const ProfileZone& zone = trace.zones[number];
    const ProfileTrack& track = trace.tracks[zone.track];
    const auto link = [&](std::uint32_t other) {
        return QStringLiteral("<a href=\"zone:%1\">%2</a>")
            .arg(other)
            .arg(text(trace.name_of(trace.zones[other])).left(100).toHtmlEscaped());
    };
    QString html = QStringLiteral("<p><b>%1</b></p><table>").arg(text(trace.name_of(zone)).toHtmlEscaped());
    html += row(tr("category"), text(trace.category_of(zone)).toHtmlEscaped());
    html += row(tr("track"), QStringLiteral("%1, %2").arg(text(track.process), text(track.name)).toHtmlEscaped());
    html += row(tr("begins at"), secondsText(zone.start));
    html += row(tr("takes"), secondsText(zone.duration));
    if (zone.parent != ProfileZone::kNone) html += row(tr("inside"), link(zone.parent));
    std::size_t links = 0;
    for (const ProfileLink& each : trace.links) {
        if ((each.from != number && each.to != number) || ++links > kMostLinks) continue;
        const QString name = text(trace.texts[each.category]);
        html += row(each.from == number ? tr("%1 to").arg(name) : tr("%1 from").arg(name),
                    link(each.from == number ? each.to : each.from));
    }
    const std::string_view json = trace.arguments_of(zone);
    const QJsonObject arguments =
        QJsonDocument::fromJson(QByteArray(json.data(), static_cast<qsizetype>(json.size()))).object();
    for (auto it = arguments.begin(); it != arguments.end(); ++it)
        html += row(it.key().toHtmlEscaped(), argumentText(it.value()));
    details_->setHtml(html + QStringLiteral("</table>"));
}

QString TracePane::csv() const {
    QStringList lines;
    QStringList cells;
    for (int column = 0; column < totals_->columnCount(); ++column)
        cells << totals_->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    lines << cells.join(QLatin1Char(','));
    for (int line = 0; line < sorted_->rowCount(); ++line) {
        cells.clear();
        for (int column = 0; column < totals_->columnCount(); ++column) {
            const QModelIndex index = sorted_->index(line, column);
            QString cell =
                index.data(column < 2 ? static_cast<int>(Qt::DisplayRole) : TotalsModel::kSortRole).toString();
            cell.replace(QLatin1Char('"'), QStringLiteral("\"\""));
            cells << (column < 2 ? QStringLiteral("\"%1\"").arg(cell) : cell);
        }
        lines << cells.join(QLatin1Char(','));
    }
    return lines.join(QLatin1Char('\n'));
}

}  // namespace loupe::views
