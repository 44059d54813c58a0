// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/unsaved_question.h"
#include "views/common/setting.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace loupe::window {

UnsavedQuestion::UnsavedQuestion(const QString& title, const std::vector<Item>& items, QWidget* parent)
    : QDialog(parent) {
    setObjectName(QStringLiteral("unsavedQuestion"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowModality(Qt::WindowModal);
    setWindowTitle(title);
    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(8);
    auto* heading = new QLabel(tr("Not everything is saved. What is ticked is saved first:"), this);
    layout->addWidget(heading);
    for (const Item& item : items) {
        auto* box = new QCheckBox(item.text, this);
        box->setChecked(true);
        box->setToolTip(item.tip);
        layout->addWidget(box);
        boxes_.emplace_back(item.what, box);
    }
    const bool hasRun =
        std::any_of(items.begin(), items.end(), [](const Item& item) { return item.what == Unsaved::Run; });
    QCheckBox* never = nullptr;
    if (hasRun) {
        layout->addSpacing(6);
        never = new QCheckBox(tr("Do not ask about runs again: they come back with the session"), this);
        never->setObjectName(QStringLiteral("neverAskForRuns"));
        never->setToolTip(
            tr("The start page restores the last session, its run included. File > Ask before a run is lost turns the "
               "question on again."));
        layout->addWidget(never);
    }
    auto* buttons =
        new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Discard | QDialogButtonBox::Cancel, this);
    buttons->button(QDialogButtonBox::Save)->setDefault(true);
    layout->addSpacing(4);
    layout->addWidget(buttons);
    const auto keepChoice = [never] {
        if (never && never->isChecked()) views::settings::kAskForRuns.set(false);
    };
    connect(buttons->button(QDialogButtonBox::Save), &QPushButton::clicked, this, [this, keepChoice] {
        keepChoice();
        const auto wanted = chosen();
        close();
        emit save(wanted);
    });
    connect(buttons->button(QDialogButtonBox::Discard), &QPushButton::clicked, this, [this, keepChoice] {
        keepChoice();
        close();
        emit discard();
    });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
}

std::vector<Unsaved> UnsavedQuestion::chosen() const {
    std::vector<Unsaved> all;
    for (const auto& [what, box] : boxes_) {
        if (box->isChecked()) all.push_back(what);
    }
    return all;
}

}  // namespace loupe::window
