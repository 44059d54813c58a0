// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/passes/bisect_bar.h"

#include <QDoubleValidator>
#include <QHBoxLayout>
#include <QVBoxLayout>

#include "core/session/queries/pass_bisect.h"
#include "views/common/flow_layout.h"
#include "views/common/format.h"
#include "views/common/icons.h"
#include "views/common/theme.h"

namespace loupe::views {

BisectBar::BisectBar(SessionBridge& bridge, QWidget* parent) : QWidget(parent), bridge_(bridge) {
    const auto number = [this](const QString& value, const QString& name, const QString& tip) {
        auto* edit = new QLineEdit(value, this);
        edit->setFixedWidth(62);
        edit->setAccessibleName(name);
        edit->setToolTip(tip);
        auto* validator = new QDoubleValidator(0, 1e9, 12, edit);
        validator->setLocale(QLocale::c());
        edit->setValidator(validator);
        return edit;
    };
    rtol_ = number(QStringLiteral("1e-4"), tr("Relative tolerance"),
                   tr("Of the greatest element of the tensor, or of 1 where that is greater"));
    atol_ = number(QStringLiteral("1e-5"), tr("Absolute tolerance"), tr("What elements may differ by in any case"));
    gradients_ = new QCheckBox(tr("gradients too"), this);
    gradients_->setChecked(true);
    gradients_->setToolTip(tr("Also compares the gradients of inputs and parameters; pipelines that freeze have none"));
    run_ = new QToolButton(this);
    run_->setObjectName(QStringLiteral("bisectRun"));
    run_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    connect(run_, &QToolButton::clicked, this, [this] {
        if (searching_)
            bridge_.session().stop();
        else
            start();
    });
    verdict_ = new QLabel(this);
    verdict_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    verdict_->setTextFormat(Qt::RichText);
    verdict_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::LinksAccessibleByMouse |
                                      Qt::LinksAccessibleByKeyboard);
    connect(verdict_, &QLabel::linkActivated, this, [this](const QString& step) { emit passWanted(step.toInt()); });
    verdict_->setWordWrap(true);
    verdict_->hide();
    auto* rows = new QVBoxLayout(this);
    rows->setContentsMargins(6, 0, 6, 4);
    rows->setSpacing(3);
    auto* layout = new FlowLayout;
    rows->addLayout(layout);
    rows->addWidget(verdict_);
    layout->addWidget(new QLabel(tr("rtol"), this));
    layout->addWidget(rtol_);
    layout->addWidget(new QLabel(tr("atol"), this));
    layout->addWidget(atol_);
    layout->addWidget(gradients_);
    layout->addWidget(run_);
    connect(&bridge, &SessionBridge::statusChanged, this, &BisectBar::showState);
    connect(&bridge, &SessionBridge::modelChanged, this, [this] { tell({}, Theme::Colour::Text); });
    showState();
}

void BisectBar::setTask(const QString& pipeline, const QString& method) {
    if (pipeline != pipeline_) tell({}, Theme::Colour::Text);
    pipeline_ = pipeline;
    method_ = method;
    showState();
}

void BisectBar::showState() {
    const bool isFree = bridge_.model() && !bridge_.isBusy() && !bridge_.isPaused();
    const bool hasPasses = !pipeline_.isEmpty() && pipeline_ != QLatin1String("none");
    run_->setIcon(themeIcon(searching_ ? QStringLiteral("stop") : QStringLiteral("search")));
    run_->setText(searching_ ? tr("Stop") : tr("Find the pass"));
    run_->setEnabled(searching_ || (isFree && hasPasses));
    run_->setToolTip(
        searching_   ? tr("Ends the search")
        : !hasPasses ? tr("Not now: choose a pipeline first")
        : isFree
            ? tr("Runs the graph with more and fewer passes, by halves, until it knows which one changed the result")
            : tr("Not now: a run is under way; stop it first"));
}

void BisectBar::start() {
    session::PassBisectOptions options;
    options.pipeline = pipeline_.toStdString();
    options.method = method_.toStdString();
    options.rtol = QLocale::c().toDouble(rtol_->text());
    options.atol = QLocale::c().toDouble(atol_->text());
    options.gradients = gradients_->isChecked();
    searching_ = true;
    tell(tr("running and comparing\u2026"), Theme::Colour::Text);
    showState();
    bridge_.ask(
        QStringLiteral("bisect"), session::PassBisectQuery{options}, this,
        [this](const session::PassBisect& found) { show(found); },
        [this](const session::PassBisectProgress& progress) { showProgress(progress); });
}

void BisectBar::showProgress(const session::PassBisectProgress& progress) {
    if (!searching_) return;
    const QString what =
        progress.passes == 0
            ? tr("running the graph as it is, twice")
            : tr("running the first %1, to %2").arg(counted(progress.passes, "pass", "passes"), text(progress.pass));
    const QString left = progress.passes == 0 || progress.runs.empty()
                             ? QString()
                             : tr("; it is one of passes %1 to %2, at most %3")
                                   .arg(progress.low + 1)
                                   .arg(progress.high + 1)
                                   .arg(counted(static_cast<std::int64_t>(progress.left), "more run"));
    tell(what + left + QStringLiteral("\u2026"), Theme::Colour::Text);
    emit narrowed(static_cast<int>(progress.low), static_cast<int>(progress.high));
}

void BisectBar::tell(const QString& words, Theme::Colour colour) {
    verdict_text_ = words;
    verdict_->setText(words.toHtmlEscaped());
    verdict_->setVisible(!words.isEmpty());
    Theme::setTone(*verdict_, colour);
}

void BisectBar::show(const session::PassBisect& result) {
    searching_ = false;
    const bool isBad = !result.error.empty() || result.step >= 0;
    tell(result.error.empty() ? text(result.verdict) : text(result.error), result.error == "stopped"
                                                                               ? Theme::Colour::Text
                                                                           : isBad ? Theme::Colour::Bad
                                                                                   : Theme::Colour::Good);
    // The pass is a link to itself, with the graph before and after.
    if (result.step >= 0 && !result.pass.empty()) {
        QString words = verdict_text_.toHtmlEscaped();
        const QString pass = text(result.pass).toHtmlEscaped();
        const auto at = words.indexOf(pass);
        if (at >= 0) words.replace(at, pass.size(), QStringLiteral("<a href=\"%1\">%2</a>").arg(result.step).arg(pass));
        verdict_->setText(words);
    }
    QStringList runs{verdict_text_};
    for (const auto& run : result.runs) {
        runs << tr("first %1: %2")
                    .arg(counted(static_cast<std::int64_t>(run.passes), "pass", "passes"))
                    .arg(!run.error.empty() ? text(run.error)
                         : run.is_same      ? tr("same")
                                            : tr("%1 differs by %2 (relative %3)")
                                             .arg(text(run.worst), numberText(run.max_abs), numberText(run.max_rel)));
    }
    verdict_->setToolTip(runs.join(QLatin1Char('\n')));
    showState();
    emit found(result);
}

}  // namespace loupe::views
