// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/connect_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/window/far_connection.h"
#include "core/base/error.h"
#include "core/session/far_place.h"
#include "views/common/format.h"
#include "views/common/setting.h"
#include "views/common/theme.h"

namespace loupe::window {

QString farCommand() { return views::settings::kFarCommand.words().trimmed(); }

ConnectDialog::ConnectDialog(QWidget* parent)
    : QDialog(parent),
      address_(new QComboBox(this)),
      command_(new QLineEdit(farCommand(), this)),
      problem_(new QLabel(this)),
      words_(new QLabel(this)) {
    setObjectName(QStringLiteral("connect"));
    setWindowTitle(tr("Connect to an engine"));
    address_->setObjectName(QStringLiteral("farAddress"));
    address_->setEditable(true);
    address_->addItems(FarConnection::recent());
    address_->setCurrentText(FarConnection::recent().value(0));
    address_->lineEdit()->setPlaceholderText(
        tr("ssh://ada@host, host:2222, docker exec -i box tensorloupe-engine --stdio"));
    address_->setMinimumWidth(460);
    command_->setObjectName(QStringLiteral("farCommand"));
    command_->setPlaceholderText(views::text(session::usual_far_command()));
    command_->setCursorPosition(0);
    command_->setToolTip(tr(
        "How ssh is called. {options}, {port}, {host} and {engine} are filled in; words are split as in a shell, but "
        "no shell sees them"));
    auto* hint =
        new QLabel(tr("Whatever ssh reaches, or a command that starts tensorloupe-engine --stdio there. Models, "
                      "runs and trainings stay there, and go on when the connection ends. It opens in a window "
                      "of its own."),
                   this);
    hint->setWordWrap(true);
    problem_->setObjectName(QStringLiteral("farProblem"));
    words_->setObjectName(QStringLiteral("farWords"));
    for (QLabel* label : {problem_, words_}) {
        label->setWordWrap(true);
        label->setTextFormat(Qt::PlainText);
    }
    views::Theme::setTone(*words_, views::Theme::Colour::Faint);
    views::Theme::setTone(*problem_, views::Theme::Colour::Bad);
    auto* form = new QFormLayout;
    forget_ = new QPushButton(tr("Forget"), this);
    forget_->setObjectName(QStringLiteral("farForget"));
    forget_->setAutoDefault(false);
    forget_->setToolTip(tr("Take it out of the list of hosts that were reached"));
    connect(forget_, &QPushButton::clicked, this, &ConnectDialog::forget);
    auto* where = new QHBoxLayout;
    where->addWidget(address_, 1);
    where->addWidget(forget_);
    form->addRow(tr("&Where:"), where);
    static_cast<QLabel*>(form->labelForField(where))->setBuddy(address_);
    form->addRow(tr("&Command for ssh:"), command_);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    connect_ = buttons->addButton(tr("Connect"), QDialogButtonBox::AcceptRole);
    connect_->setDefault(true);
    auto* column = new QVBoxLayout(this);
    column->addWidget(hint);
    column->addLayout(form);
    column->addWidget(words_);
    column->addWidget(problem_);
    column->addWidget(buttons);
    connect(address_, &QComboBox::editTextChanged, this, &ConnectDialog::check);
    connect(command_, &QLineEdit::textChanged, this, &ConnectDialog::check);
    connect(connect_, &QPushButton::clicked, this, &ConnectDialog::acceptAddress);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    check();
}

QString ConnectDialog::address() const { return address_->currentText().trimmed(); }

void ConnectDialog::check() {
    QString problem;
    QStringList words;
    if (!address().isEmpty()) {
        try {
            const auto options =
                session::far_place_options(address().toStdString(), command_->text().trimmed().toStdString(), true);
            for (const std::string& word : options.command) words += views::text(word);
        } catch (const Error& error) {
            problem = views::text(error.what());
        }
    }
    problem_->setText(problem);
    words_->setText(words.join(QLatin1Char(' ')));
    problem_->setVisible(!problem.isEmpty());
    words_->setVisible(problem.isEmpty());
    connect_->setEnabled(!address().isEmpty() && problem.isEmpty());
    forget_->setEnabled(FarConnection::recent().contains(address()));
}

void ConnectDialog::forget() {
    FarConnection::forget(address());
    address_->removeItem(address_->findText(address()));
    address_->setCurrentText(FarConnection::recent().value(0));
    check();
}

void ConnectDialog::acceptAddress() {
    views::settings::kFarCommand.set(command_->text().trimmed());
    emit wanted(address());
    accept();
}

}  // namespace loupe::window
