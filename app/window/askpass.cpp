// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/askpass.h"

#include <QCoreApplication>
#include <QInputDialog>
#include <QMessageBox>
#include <cstdio>

namespace loupe::window {

namespace {

const char* const kMark = "TENSORLOUPE_ASKPASS";

}  // namespace

bool isAskpass() { return qEnvironmentVariableIsSet(kMark); }

int runAskpass(const QString& question) {
    const QString title = QObject::tr("ssh asks \u2013 Tensorloupe");
    // Of OpenSSH: a yes or no, or only to be read.
    const QByteArray kind = qgetenv("SSH_ASKPASS_PROMPT");
    if (kind == "none" || kind == "confirm") {
        QMessageBox box(QMessageBox::NoIcon, title, question,
                        kind == "none" ? QMessageBox::Close : QMessageBox::Yes | QMessageBox::No);
        const int answer = box.exec();
        return kind == "none" || answer == QMessageBox::Yes ? 0 : 1;
    }
    QInputDialog dialog;
    dialog.setWindowTitle(title);
    dialog.setLabelText(question);
    // A host's key is answered with words.
    const bool isSecret = !question.contains(QLatin1String("yes/no"));
    dialog.setTextEchoMode(isSecret ? QLineEdit::Password : QLineEdit::Normal);
    if (dialog.exec() != QDialog::Accepted) return 1;
    std::printf("%s\n", dialog.textValue().toLocal8Bit().constData());
    return 0;
}

std::vector<std::string> askpassEnvironment() {
    std::vector<std::string> variables{"SSH_ASKPASS_REQUIRE=force"};
    if (!qEnvironmentVariableIsEmpty("SSH_ASKPASS")) return variables;
    variables.push_back(QStringLiteral("SSH_ASKPASS=%1").arg(QCoreApplication::applicationFilePath()).toStdString());
    variables.push_back(QStringLiteral("%1=1").arg(QLatin1String(kMark)).toStdString());
    return variables;
}

}  // namespace loupe::window
