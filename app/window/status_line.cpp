// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/status_line.h"

#include <QComboBox>
#include <QEvent>
#include <QLabel>
#include <QProgressBar>
#include <QToolButton>
#include <algorithm>

#include "app/window/far_connection.h"
#include "core/record/value_change.h"
#include "core/study/verdict.h"
#include "views/common/comparison.h"
#include "views/common/format.h"
#include "views/common/icons.h"
#include "views/common/ranks.h"
#include "views/common/theme.h"
#include "views/inputs/input_memory.h"

namespace loupe::window {

using session::RunState;
using views::Theme;

namespace {

// As the engine says it; translated where it is shown.
const char* stateWord(const session::Status& status) {
    switch (status.state) {
        case RunState::Empty:
            return QT_TRANSLATE_NOOP("QObject", "No model");
        case RunState::Opening:
            return QT_TRANSLATE_NOOP("QObject", "Opening");
        case RunState::Ready:
            return QT_TRANSLATE_NOOP("QObject", "Ready");
        case RunState::Running:
            return QT_TRANSLATE_NOOP("QObject", "Running");
        case RunState::Paused:
            return QT_TRANSLATE_NOOP("QObject", "Paused");
        case RunState::Finished:
            return QT_TRANSLATE_NOOP("QObject", "Finished");
        case RunState::Failed:
            return QT_TRANSLATE_NOOP("QObject", "Failed");
    }
    return "";
}

Theme::Colour stateColour(RunState state) {
    switch (state) {
        case RunState::Opening:
        case RunState::Running:
            return Theme::Colour::Accent;
        case RunState::Paused:
            return Theme::Colour::Reached;
        case RunState::Finished:
            return Theme::Colour::Good;
        case RunState::Failed:
            return Theme::Colour::Bad;
        default:
            return Theme::Colour::Faint;
    }
}

/// A run that has ended is as good as its numbers.
Theme::Colour stateColour(const session::Status& status) {
    if (status.state != RunState::Finished || !status.verdict) return stateColour(status.state);
    switch (status.verdict->severity) {
        case session::Verdict::Severity::Good:
        case session::Verdict::Severity::Note:
            return Theme::Colour::Good;
        case session::Verdict::Severity::Warning:
            return Theme::Colour::Warning;
        case session::Verdict::Severity::Error:
            break;
    }
    return Theme::Colour::Bad;
}

QString place(const session::Recording& recording, session::EventId id) {
    const session::Event& event = recording.event(id);
    QString line = QStringLiteral("#%1 %2").arg(id).arg(views::shortOpName(event.op));
    if (!event.scope.empty()) line += QObject::tr(" in %1").arg(views::text(event.scope));
    return line;
}

/// The tip has the whole text, for a window too narrow for it.
void showPlace(views::ElidedLabel& label, QChar mark, Theme::Colour colour, const QString& text, const QString& tip) {
    label.setMark(mark, colour);
    label.setText(text);
    label.setToolTip(text + QLatin1Char('\n') + tip);
}

}  // namespace

StatusLine::StatusLine(views::SessionBridge& bridge, FarConnection* far, QWidget* parent)
    : QStatusBar(parent),
      bridge_(bridge),
      dot_(new QLabel(this)),
      state_(new views::ElidedLabel(this)),
      progress_(new QProgressBar(this)),
      cancel_(new QToolButton(this)),
      reached_(new views::ElidedLabel(this)),
      selected_(new views::ElidedLabel(this)),
      model_(new views::ElidedLabel(this)),
      reference_(new views::ElidedLabel(this)),
      changes_(new views::ElidedLabel(this)),
      rank_(new QComboBox(this)),
      far_(far),
      far_line_(new views::ElidedLabel(this)) {
    setSizeGripEnabled(false);
    state_->setObjectName(QStringLiteral("state"));
    state_->setAccessibleName(tr("State of the engine"));
    progress_->setFixedWidth(140);
    progress_->setFixedHeight(12);
    progress_->setTextVisible(false);
    progress_->setAccessibleName(tr("Progress"));
    cancel_->setIcon(views::themeIcon(QStringLiteral("close")));
    cancel_->setToolTip(tr("Cancel (Shift+F5)"));
    cancel_->setAccessibleName(tr("Cancel"));
    addWidget(dot_);
    addWidget(state_, 1);
    addPermanentWidget(progress_);
    addPermanentWidget(cancel_);
    rank_->setObjectName(QStringLiteral("rank"));
    rank_->setAccessibleName(tr("Rank that is shown"));
    rank_->setToolTip(tr("The rank that all panels show (Ctrl+Alt+Left, Ctrl+Alt+Right)"));
    addPermanentWidget(rank_);
    views::Ranks& ranks = views::Ranks::of(bridge_);
    connect(&ranks, &views::Ranks::changed, this, &StatusLine::showRanks);
    connect(&ranks, &views::Ranks::studied, this, &StatusLine::showRanks);
    connect(rank_, &QComboBox::activated, this, [&ranks](int seat) { ranks.goTo(static_cast<std::size_t>(seat)); });
    showRanks();
    reference_->setObjectName(QStringLiteral("reference"));
    changes_->setObjectName(QStringLiteral("changes"));
    for (views::ElidedLabel* label : {changes_, reference_, selected_, reached_, model_, far_line_}) {
        label->setContentsMargins(8, 0, 4, 0);
        addPermanentWidget(label);
    }
    state_->installEventFilter(this);
    reference_->installEventFilter(this);
    reference_->setCursor(Qt::PointingHandCursor);
    changes_->installEventFilter(this);
    changes_->setCursor(Qt::PointingHandCursor);
    changes_->hide();
    connect(&bridge_, &views::SessionBridge::statusChanged, this, &StatusLine::showChanges);
    connect(&bridge_, &views::SessionBridge::modelChanged, this, &StatusLine::showChanges);
    const views::Comparison& comparison = views::Comparison::of(bridge_);
    connect(&comparison, &views::Comparison::referencesChanged, this, &StatusLine::showReference);
    connect(&comparison, &views::Comparison::differencesChanged, this, &StatusLine::showReference);
    connect(cancel_, &QToolButton::clicked, this, [this] { bridge_.stop(); });
    connect(&bridge_, &views::SessionBridge::statusChanged, this, &StatusLine::showState);
    connect(&bridge_, &views::SessionBridge::modelChanged, this, &StatusLine::showState);
    connect(&bridge_, &views::SessionBridge::inputsChanged, this, &StatusLine::showState);
    connect(&bridge_, &views::SessionBridge::currentChanged, this, &StatusLine::showPlaces);
    connect(&bridge_, &views::SessionBridge::eventsGrown, this, &StatusLine::showPlaces);
    connect(&Theme::instance(), &Theme::changed, this, &StatusLine::showState);
    far_line_->setObjectName(QStringLiteral("far"));
    far_line_->setVisible(far_ != nullptr);
    if (far_ != nullptr) {
        far_line_->installEventFilter(this);
        connect(far_, &FarConnection::changed, this, &StatusLine::showFar);
        connect(&Theme::instance(), &Theme::changed, this, &StatusLine::showFar);
        showFar();
    }
    showState();
    showReference();
}

// "Rank 1 of 4", with a mark on those that something is wrong with.
void StatusLine::showRanks() {
    const views::Ranks& ranks = views::Ranks::of(bridge_);
    rank_->setVisible(ranks.isOn());
    rank_->clear();
    if (!ranks.isOn()) return;
    const auto& report = ranks.report();
    for (std::size_t seat = 0; seat < bridge_.seatCount(); ++seat) {
        const int rank = bridge_.rankAt(seat);
        const bool isNamed =
            report && std::any_of(report->findings.begin(), report->findings.end(),
                                  [&](const session::RankReport::Finding& each) { return each.spot.rank == rank; });
        rank_->addItem(tr("Rank %1 of %2%3")
                           .arg(rank)
                           .arg(std::max(bridge_.seatCount(),
                                         report ? static_cast<std::size_t>(report->set.world_size) : std::size_t{0}))
                           .arg(isNamed ? QStringLiteral("  \u2260") : QString()));
        rank_->setItemData(static_cast<int>(seat), ranks.colourOf(seat), Qt::DecorationRole);
    }
    rank_->setCurrentIndex(static_cast<int>(bridge_.currentSeat()));
}

void StatusLine::showFar() {
    using Kind = session::FarState::Kind;
    const Kind kind = far_->state().kind;
    far_line_->setMark(u'\u25cf', kind == Kind::Connected    ? Theme::Colour::Good
                                  : kind == Kind::Connecting ? Theme::Colour::Accent
                                  : kind == Kind::Lost       ? Theme::Colour::Warning
                                                             : Theme::Colour::Bad);
    far_line_->setText(far_->line());
    far_line_->setToolTip(far_->tip());
}

void StatusLine::showReference() {
    const views::Comparison& comparison = views::Comparison::of(bridge_);
    const auto* current = comparison.current();
    reference_->setVisible(current != nullptr || comparison.isPinning());
    if (current == nullptr) {
        reference_->setText(comparison.isPinning() ? tr("running the reference\u2026") : QString());
        return;
    }
    const auto& found = comparison.differences();
    const bool diverges = found != nullptr && found->diverges();
    reference_->setMark(diverges           ? u'\u2260'
                        : found != nullptr ? u'='
                                           : u'\u2013',
                        diverges           ? Theme::Colour::Bad
                        : found != nullptr ? Theme::Colour::Good
                                           : Theme::Colour::Faint);
    reference_->setText(
        (found != nullptr ? tr("compared with %1") : tr("reference: %1")).arg(views::text(current->label)));
    reference_->setToolTip(
        tr("%1\nClick for the panel Compare; Ctrl+D goes to the first divergence; Compare > Unpin ends it")
            .arg(found != nullptr ? comparison.headline() : reference_->text()));
}

// What was put into the run by hand: its numbers are the model's no more.
void StatusLine::showChanges() {
    const auto& recording = bridge_.recording();
    QStringList lines;
    last_change_ = 0;
    const bool mayHave = recording != nullptr && !bridge_.runOptions().changes.empty();
    for (session::EventId id = 1; mayHave && id <= recording->event_count(); ++id) {
        const session::Event& event = recording->event(id);
        if (event.op != session::kChangeOperator) continue;
        last_change_ = id;
        QString line = event.inputs.empty() ? QString() : views::text(recording->value(event.inputs.front()).name);
        for (const std::string& argument : event.arguments) {
            const QString said = views::text(argument);
            const bool isFormula = said.startsWith(QLatin1String("formula="));
            line += isFormula ? QStringLiteral(" = ") + said.mid(8) : said.section(QLatin1Char('='), 1);
        }
        lines += line;
    }
    changes_->setVisible(!lines.isEmpty());
    if (lines.isEmpty()) return;
    changes_->setMark(u'\u00b1', Theme::Colour::Warning);
    changes_->setText(lines.size() == 1 ? tr("changed: %1").arg(lines.front()) : tr("%1 changes").arg(lines.size()));
    changes_->setToolTip(tr("Changed by hand in this run:\n%1\nA click goes there; Ctrl+Z undoes the last")
                             .arg(lines.join(QLatin1Char('\n'))));
}

bool StatusLine::eventFilter(QObject* watched, QEvent* event) {
    if (watched == changes_ && event->type() == QEvent::MouseButtonRelease && last_change_ != 0)
        bridge_.setCurrentEvent(last_change_);
    if (far_ != nullptr && watched == far_line_ && event->type() == QEvent::MouseButtonRelease) far_->reconnectNow();
    if (watched == reference_ && event->type() == QEvent::MouseButtonRelease)
        bridge_.showPanel(QStringLiteral("compare"));
    const auto& verdict = bridge_.status().verdict;
    const bool isClick = watched == state_ && event->type() == QEvent::MouseButtonRelease;
    if (isClick && hasGuessedInputs()) bridge_.showPanel(QStringLiteral("inputs"));
    if (isClick && bridge_.status().state == RunState::Finished && verdict && verdict->event != 0)
        bridge_.setCurrentEvent(verdict->event);
    return QStatusBar::eventFilter(watched, event);
}

// Of a model that has just been opened.
bool StatusLine::hasGuessedInputs() const {
    const auto& model = bridge_.model();
    return bridge_.status().state == RunState::Ready && model && views::areGuessed(*model, bridge_.inputs());
}

void StatusLine::showState() {
    const session::Status& status = bridge_.status();
    dot_->setText(QStringLiteral("<span style='color:%1; font-size:12pt'>\u25cf</span>")
                      .arg(Theme::instance().colour(stateColour(status)).name()));
    const QString word = QObject::tr(stateWord(status));
    QString line = word;
    const bool isTold = status.state == RunState::Finished && status.verdict;
    const QString more = views::text(status.state == RunState::Failed ? status.error
                                     : isTold                         ? status.verdict->text
                                     : bridge_.isBusy()               ? status.progress
                                                                      : status.why);
    // "finished: 12 events" contains the state.
    if (isTold && more.startsWith(word, Qt::CaseInsensitive))
        line += more.mid(word.size());
    else if (!more.isEmpty() && more.compare(word, Qt::CaseInsensitive) != 0)
        line += QStringLiteral(": ") + more;
    if (bridge_.isPaused() && !status.next_op.empty()) {
        line +=
            (bridge_.isParkedBehind() ? tr(", after %1") : tr(", before %1")).arg(views::shortOpName(status.next_op));
        if (!status.next_scope.empty()) line += tr(" in %1").arg(views::text(status.next_scope));
    }
    const bool isGuessed = hasGuessedInputs();
    if (isGuessed) line += tr(": its inputs are guessed");
    state_->setText(line);
    const bool isLink = isGuessed || (isTold && status.verdict->event != 0);
    state_->setToolTip((isTold ? views::text(status.verdict->line()) : line) + (isGuessed ? tr("\nClick to change them")
                                                                                : isLink  ? tr("\nClick to go there")
                                                                                          : QString()));
    if (isLink)
        state_->setCursor(Qt::PointingHandCursor);
    else
        state_->unsetCursor();
    progress_->setVisible(bridge_.isBusy());
    cancel_->setVisible(bridge_.isBusy());
    progress_->setRange(0, status.fraction < 0 ? 0 : 1000);
    if (status.fraction >= 0) progress_->setValue(static_cast<int>(status.fraction * 1000));
    const auto& model = bridge_.model();
    model_->setText(model ? tr("%1, %2").arg(views::counted(model->parameter_count, "parameter"),
                                             views::bytesText(static_cast<double>(model->parameter_bytes)))
                          : QString());
    model_->setToolTip(model ? views::text(model->format) : QString());
    showPlaces();
}

void StatusLine::showPlaces() {
    const auto& recording = bridge_.recording();
    const auto selected = bridge_.currentEvent();
    const auto reached = bridge_.parkedEvent();
    const bool known = reached != 0;
    reached_->setVisible(known);
    if (known) {
        showPlace(*reached_, u'\u25b6', Theme::Colour::Reached, place(*recording, reached),
                  tr("Where the engine is parked: the last operator that ran"));
    }
    selected_->setVisible(selected != 0);
    if (selected != 0) {
        showPlace(*selected_, u'\u25c6', Theme::Colour::Accent, place(*recording, selected),
                  tr("The current event: what the panels show"));
    }
}

}  // namespace loupe::window
