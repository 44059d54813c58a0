// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/log/log_view.h"

#include <QApplication>
#include <QClipboard>
#include <QDateTime>
#include <QListWidget>
#include <QToolTip>
#include <QVBoxLayout>

#include "core/base/library_path.h"
#include "views/common/empty_hint.h"
#include "views/common/format.h"
#include "views/common/theme.h"

namespace loupe::views {

using Level = SessionBridge::LogEntry::Level;

namespace {

// "14:02:11", and with its day what is of a sitting before.
QString timeText(const SessionBridge::LogEntry& entry, bool isOlder) {
    if (entry.time == 0) return {};
    const QDateTime time = QDateTime::fromMSecsSinceEpoch(entry.time);
    const bool hasDay = isOlder || time.date() != QDate::currentDate();
    return time.toString(hasDay ? QStringLiteral("yyyy-MM-dd HH:mm:ss  ") : QStringLiteral("HH:mm:ss  "));
}

QString placeText(const SessionBridge::LogEntry& entry, bool isOfEarlierRun) {
    QStringList parts;
    if (entry.training_step != 0) {
        const auto training = entry.training.lock();
        const int number = training ? training->origin().number : 1;
        parts += number > 1 ? QObject::tr("step %1 of training %2").arg(entry.training_step).arg(number)
                            : QObject::tr("step %1").arg(entry.training_step);
    }
    if (entry.event != 0)
        parts += isOfEarlierRun ? QObject::tr("#%1 of an earlier run").arg(entry.event)
                                : QStringLiteral("#%1").arg(entry.event);
    if (!entry.scope.empty()) parts += text(entry.scope);
    if (!entry.source.file.empty()) {
        const QString place = QStringLiteral("%1:%2").arg(text(entry.source.file)).arg(entry.source.line);
        parts += is_library_path(entry.source.file) ? QObject::tr("%1 (library code)").arg(place) : place;
    }
    return parts.join(QStringLiteral("  "));
}

Theme::Colour levelColour(Level level) {
    switch (level) {
        case Level::Info:
            return Theme::Colour::Text;
        case Level::Warning:
            return Theme::Colour::Warning;
        case Level::Error:
            break;
    }
    return Theme::Colour::Bad;
}

}  // namespace

ViewDescription LogView::describe() {
    return {QStringLiteral("log"), tr("Log"),
            tr("Errors, warnings and what else the engine tells; activate an entry to go where it happened."),
            QStringLiteral("log"), Place::Bottom};
}

LogView::LogView(SessionBridge& bridge, QWidget* parent)
    : View(bridge, parent), list_(new QListWidget(this)), hint_(new EmptyHint(list_)) {
    list_->setObjectName(QStringLiteral("logList"));
    list_->setAccessibleName(tr("Log"));
    list_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    list_->setUniformItemSizes(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(list_);
    setFocusProxy(list_);
    connect(&bridge, &SessionBridge::logAdded, this, [this] { add(this->bridge().log().back()); });
    connect(&bridge, &SessionBridge::olderLogAdded, this, [this](const std::vector<SessionBridge::LogEntry>& entries) {
        for (const auto& entry : entries) insert(older_++, entry, true);
    });
    connect(list_, &QListWidget::itemActivated, this, [this](QListWidgetItem* item) { follow(list_->row(item)); });
    connect(list_, &QListWidget::itemClicked, this, [this](QListWidgetItem* item) { follow(list_->row(item)); });
    connect(&bridge, &SessionBridge::recordingChanged, this, [this] {
        for (int row = 0; row < list_->count(); ++row) {
            if (entries_[static_cast<std::size_t>(row)].event != 0) label(row);
        }
    });
    hint_->say(tr("Nothing to tell so far."));
    for (const auto& entry : bridge.log()) add(entry);
}

void LogView::add(const SessionBridge::LogEntry& entry) {
    insert(list_->count(), entry, false);
    list_->scrollToBottom();
}

void LogView::insert(int row, const SessionBridge::LogEntry& entry, bool isOlder) {
    entries_.insert(entries_.begin() + row, entry);
    auto* item = new QListWidgetItem;
    item->setData(Qt::UserRole, timeText(entry, isOlder));
    list_->insertItem(row, item);
    item->setData(Qt::ForegroundRole, Theme::themed(levelColour(entry.level)));
    label(row);
    hint_->say({});
}

// Its text and its tip: where it leads depends on the run that is shown.
void LogView::label(int row) {
    const auto& entry = entries_[static_cast<std::size_t>(row)];
    const QString place = placeText(entry, isOfEarlierRun(entry));
    const QString link = place.isEmpty() ? QString() : QStringLiteral("   \u2192 ") + place;
    QListWidgetItem* item = list_->item(row);
    item->setText(item->data(Qt::UserRole).toString() + text(entry.text) + link);
    QString tip = entry.details.empty() ? text(entry.text)
                                        : QStringLiteral("<pre>%1</pre>").arg(text(entry.details).toHtmlEscaped());
    if (isOfEarlierRun(entry)) {
        const QString gone = entry.source.line > 0 ? tr("Its event is of an earlier run; this leads to the line alone.")
                                                   : tr("Its event is of an earlier run, which is not shown any more.");
        tip += (entry.details.empty() ? QStringLiteral("\n") : QStringLiteral("<p>")) + gone;
    }
    item->setToolTip(tip);
}

bool LogView::isOfEarlierRun(const SessionBridge::LogEntry& entry) const {
    return entry.event != 0 && entry.recording.lock() != bridge().recording();
}

void LogView::follow(int row) {
    const auto& entry = entries_[static_cast<std::size_t>(row)];
    if (entry.training_step != 0) {
        // A training that runs is not ended by a click here, and only steps of the last one can be run again.
        const auto training = entry.training.lock();
        if (training && training == bridge().training() && !bridge().isBusy()) bridge().lookAtStep(entry.training_step);
        bridge().showPanel(QStringLiteral("train"));
    } else if (bridge().hasEventOf(entry)) {
        bridge().setCurrentEvent(entry.event);
    } else if (isOfEarlierRun(entry) && entry.source.line <= 0) {
        // Neither its event nor its node need be there.
        QToolTip::showText(QCursor::pos(), list_->item(row)->toolTip(), list_);
    } else if (isOfEarlierRun(entry)) {
        bridge().setCurrentSource(entry.source);
        bridge().showPanel(QStringLiteral("source"));
    } else if (entry.graph_node >= 0) {
        bridge().setCurrentNode(entry.graph_node);
    } else if (entry.source.line > 0) {
        bridge().setCurrentSource(entry.source);
        bridge().showPanel(QStringLiteral("source"));
    } else if (!entry.scope.empty()) {
        bridge().setCurrentModule(text(entry.scope));
    }
}

void LogView::addActions(QMenu& menu) {
    menu.addAction(tr("Copy selected entries"), this, &LogView::copy);
    menu.addAction(tr("Clear"), this, [this] {
        list_->clear();
        entries_.clear();
        older_ = 0;
        hint_->say(tr("Nothing to tell so far."));
    });
}

void LogView::copy() {
    QStringList lines;
    for (const QListWidgetItem* item : list_->selectedItems()) {
        lines += item->text();
        const auto& entry = entries_[static_cast<std::size_t>(list_->row(item))];
        if (!entry.details.empty()) lines += text(entry.details);
    }
    QApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
}

}  // namespace loupe::views
