// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/log/log_view.h"

#include <QApplication>
#include <QClipboard>
#include <QListWidget>
#include <QTime>
#include <QVBoxLayout>

#include "core/base/library_path.h"
#include "views/common/empty_hint.h"
#include "views/common/format.h"
#include "views/common/theme.h"

namespace loupe::views {

using Level = SessionBridge::LogEntry::Level;

namespace {

QString placeText(const SessionBridge::LogEntry& entry) {
    QStringList parts;
    if (entry.training_step != 0) {
        const auto training = entry.training.lock();
        const int number = training ? training->origin().number : 1;
        parts += number > 1 ? QObject::tr("step %1 of training %2").arg(entry.training_step).arg(number)
                            : QObject::tr("step %1").arg(entry.training_step);
    }
    if (entry.event != 0) parts += QStringLiteral("#%1").arg(entry.event);
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
        for (const auto& entry : entries) insert(older_++, entry, {});  // when they were told is not known
    });
    connect(list_, &QListWidget::itemActivated, this, [this](QListWidgetItem* item) { follow(list_->row(item)); });
    connect(list_, &QListWidget::itemClicked, this, [this](QListWidgetItem* item) { follow(list_->row(item)); });
    hint_->say(tr("Nothing to tell so far."));
    for (const auto& entry : bridge.log()) add(entry);
}

void LogView::add(const SessionBridge::LogEntry& entry) {
    insert(list_->count(), entry, QTime::currentTime().toString(QStringLiteral("HH:mm:ss  ")));
    list_->scrollToBottom();
}

void LogView::insert(int row, const SessionBridge::LogEntry& entry, const QString& time) {
    entries_.insert(entries_.begin() + row, entry);
    const QString place = placeText(entry);
    const QString link = place.isEmpty() ? QString() : QStringLiteral("   \u2192 ") + place;
    auto* item = new QListWidgetItem(time + text(entry.text) + link);
    list_->insertItem(row, item);
    item->setData(Qt::ForegroundRole, Theme::themed(levelColour(entry.level)));
    item->setToolTip(entry.details.empty() ? text(entry.text)
                                           : QStringLiteral("<pre>%1</pre>").arg(text(entry.details).toHtmlEscaped()));
    hint_->say({});
}

void LogView::follow(int row) {
    const auto& entry = entries_[static_cast<std::size_t>(row)];
    if (entry.training_step != 0) {
        // A training that runs is not ended by a click here, and only steps of the last one can be run again.
        const auto training = entry.training.lock();
        if (training && training == bridge().training() && !bridge().isBusy()) bridge().lookAtStep(entry.training_step);
        bridge().showPanel(QStringLiteral("train"));
    } else if (entry.event != 0 && entry.event <= bridge().eventCount()) {
        bridge().setCurrentEvent(entry.event);
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
