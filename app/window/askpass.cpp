// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/askpass.h"

#include <signal.h>
#include <unistd.h>

#include <QCoreApplication>
#include <QInputDialog>
#include <QMessageBox>
#include <QPushButton>
#include <QRegularExpression>
#include <QTimer>
#include <cstdio>

#include "core/session/far_place.h"

namespace loupe::window {

namespace {

const char* const kMark = "TENSORLOUPE_ASKPASS";

}  // namespace

bool isAskpass() { return qEnvironmentVariableIsSet(kMark); }

namespace {

// Shows it above the window that comes up at the same time.
void bringUp(QDialog& dialog) {
    constexpr int kTries = 10;
    dialog.setWindowFlag(Qt::WindowStaysOnTopHint);
    dialog.setModal(true);
    dialog.show();
    auto* timer = new QTimer(&dialog);
    QObject::connect(timer, &QTimer::timeout, &dialog, [&dialog, timer, left = kTries]() mutable {
        if (dialog.isActiveWindow() && left < kTries / 2) return timer->stop();
        if (--left <= 0) timer->stop();
        dialog.raise();
        dialog.activateWindow();
    });
    timer->start(400);
}

// A host's key: ssh wants a word for an answer.
int askYesOrNo(const QString& title, const QString& question) {
    QString text = question.trimmed();
    static const QRegularExpression choices(QStringLiteral("\\s*\\((yes/no[^)]*)\\)\\s*\\??\\s*$"));
    const auto at = text.indexOf(choices);
    const QString last = (at >= 0 ? text.left(at) : text).section(QLatin1Char('\n'), -1) + QLatin1Char('?');
    text = text.section(QLatin1Char('\n'), 0, -2);
    QMessageBox box(QMessageBox::NoIcon, title, text.isEmpty() ? last : text);
    if (!text.isEmpty()) box.setInformativeText(last);
    box.setTextFormat(Qt::PlainText);
    box.setTextInteractionFlags(Qt::TextSelectableByMouse);
    QPushButton* yes = box.addButton(QObject::tr("Yes"), QMessageBox::YesRole);
    QPushButton* no = box.addButton(QObject::tr("No"), QMessageBox::NoRole);
    box.setDefaultButton(no);
    bringUp(box);
    box.exec();
    if (box.clickedButton() != yes && box.clickedButton() != no) return kNotAnswered;
    std::puts(box.clickedButton() == yes ? "yes" : "no");
    return 0;
}

int askConsent(const QString& title, const QString& question, bool isOnlyRead) {
    QMessageBox box(QMessageBox::NoIcon, title, question,
                    isOnlyRead ? QMessageBox::Close : QMessageBox::Yes | QMessageBox::No);
    box.setTextFormat(Qt::PlainText);
    bringUp(box);
    return box.exec() == QMessageBox::Yes || isOnlyRead ? 0 : 1;
}

int askSecret(const QString& title, const QString& question) {
    QInputDialog dialog;
    dialog.setWindowTitle(title);
    dialog.setLabelText(question.trimmed());
    dialog.setTextEchoMode(QLineEdit::Password);
    dialog.setMinimumWidth(400);
    bringUp(dialog);
    if (dialog.exec() != QDialog::Accepted) return kNotAnswered;
    std::printf("%s\n", dialog.textValue().toLocal8Bit().constData());
    return 0;
}

}  // namespace

int runAskpass(const QString& question) {
    const QString title = QObject::tr("ssh asks \u2013 Tensorloupe");
    const QByteArray kind = qgetenv("SSH_ASKPASS_PROMPT");  // of OpenSSH
    if (kind == "none" || kind == "confirm") return askConsent(title, question, kind == "none");
    return question.contains(QLatin1String("yes/no")) ? askYesOrNo(title, question) : askSecret(title, question);
}

void endAsker() {
    std::fprintf(stderr, "%s\n", session::kQuestionNotAnswered);
    std::fflush(stderr);
    ::kill(::getppid(), SIGTERM);
}

std::vector<std::string> askpassEnvironment() {
    std::vector<std::string> variables{"SSH_ASKPASS_REQUIRE=force"};
    if (!qEnvironmentVariableIsEmpty("SSH_ASKPASS")) return variables;
    variables.push_back(QStringLiteral("SSH_ASKPASS=%1").arg(QCoreApplication::applicationFilePath()).toStdString());
    variables.push_back(QStringLiteral("%1=1").arg(QLatin1String(kMark)).toStdString());
    return variables;
}

}  // namespace loupe::window
