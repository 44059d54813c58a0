// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/settings_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QCoreApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "views/common/setting.h"
#include "views/common/theme.h"

namespace loupe::window {

using views::Setting;

namespace {

constexpr int kControlWidth = 210;

QString shown(const Setting::Choice& choice) { return QCoreApplication::translate("Setting", choice.title); }

bool hasAll(const QString& text, const QStringList& words) {
    return std::all_of(words.begin(), words.end(),
                       [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

QLabel* heading(const QString& text, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    QFont font = label->font();
    font.setBold(true);
    label->setFont(font);
    label->setContentsMargins(0, 10, 0, 2);
    return label;
}

}  // namespace

SettingsDialog::SettingsDialog(QWidget* parent)
    : QDialog(parent),
      search_(new QLineEdit(this)),
      area_(new QScrollArea(this)),
      nothing_(new QLabel(tr("No setting has these words."), this)) {
    setObjectName(QStringLiteral("settings"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Settings"));
    search_->setPlaceholderText(tr("Search: dark, ssh, ranks, a word of what it does"));
    search_->setAccessibleName(tr("Search settings"));
    search_->setClearButtonEnabled(true);
    nothing_->setAlignment(Qt::AlignCenter);
    views::Theme::setTone(*nothing_, views::Theme::Colour::Faint);
    nothing_->hide();
    auto* page = new QWidget(area_);
    auto* column = new QVBoxLayout(page);
    for (const Setting* setting : views::settings::all()) {
        const auto group = static_cast<std::size_t>(setting->group);
        if (headings_.size() <= group) headings_.resize(group + 1);
        if (headings_[group] == nullptr) {
            headings_[group] = heading(Setting::titleOf(setting->group), page);
            column->addWidget(headings_[group]);
        }
        addRow(*setting, *column);
    }
    column->addStretch(1);
    area_->setWidget(page);
    area_->setWidgetResizable(true);
    area_->setFrameShape(QFrame::NoFrame);
    area_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(search_);
    layout->addWidget(area_, 1);
    layout->addWidget(nothing_, 1);
    connect(search_, &QLineEdit::textChanged, this, &SettingsDialog::filter);
    connect(&views::SettingNotices::instance(), &views::SettingNotices::changed, this, [this](const Setting* setting) {
        if (const Row* row = rowOf(*setting)) present(*row);
    });
    resize(QSize(680, 640).boundedTo(parent->size() * 0.92));
    search_->setFocus();
}

QWidget* SettingsDialog::control(const Setting& setting) const {
    const Row* row = rowOf(setting);
    return row ? row->control : nullptr;
}
QToolButton* SettingsDialog::resetButton(const Setting& setting) const {
    const Row* row = rowOf(setting);
    return row ? row->reset : nullptr;
}
bool SettingsDialog::isInSight(const Setting& setting) const {
    const Row* row = rowOf(setting);
    return row != nullptr && row->all->isVisibleTo(this);
}

const SettingsDialog::Row* SettingsDialog::rowOf(const Setting& setting) const {
    const auto found =
        std::find_if(rows_.begin(), rows_.end(), [&](const Row& row) { return row.setting == &setting; });
    return found == rows_.end() ? nullptr : &*found;
}

void SettingsDialog::addRow(const Setting& setting, QVBoxLayout& to) {
    auto* all = new QWidget(to.parentWidget());
    auto* title = new QLabel(setting.shownTitle(), all);
    QString said = setting.shownAbout();
    if (setting.is_of_next_start) said += QLatin1Char(' ') + tr("From the next start on.");
    auto* about = new QLabel(said, all);
    about->setWordWrap(true);
    for (QLabel* label : {title, about}) label->setTextFormat(Qt::PlainText);
    views::Theme::setTone(*about, views::Theme::Colour::Faint);
    QWidget* control = makeControl(setting, all);
    control->setObjectName(QStringLiteral("setting.") + QLatin1String(setting.key));
    control->setAccessibleName(setting.shownTitle());
    control->setAccessibleDescription(said);
    control->setFixedWidth(kControlWidth);
    title->setBuddy(control);
    auto* reset = new QToolButton(all);
    reset->setText(tr("Reset"));
    reset->setProperty("action", true);
    reset->setAccessibleName(tr("Reset %1").arg(setting.shownTitle()));
    QSizePolicy kept = reset->sizePolicy();
    kept.setRetainSizeWhenHidden(true);
    reset->setSizePolicy(kept);
    connect(reset, &QToolButton::clicked, this, [&setting] { setting.reset(); });
    auto* texts = new QVBoxLayout;
    texts->setSpacing(1);
    texts->addWidget(title);
    texts->addWidget(about);
    auto* line = new QHBoxLayout(all);
    line->setContentsMargins(10, 4, 0, 6);
    line->addLayout(texts, 1);
    line->addWidget(control, 0, Qt::AlignTop);
    line->addWidget(reset, 0, Qt::AlignTop);
    to.addWidget(all);
    QString words = setting.shownTitle() + QLatin1Char(' ') + said + QLatin1Char(' ') +
                    Setting::titleOf(setting.group) + QLatin1Char(' ') + QLatin1String(setting.key);
    for (const Setting::Choice& choice : setting.choices) words += QLatin1Char(' ') + shown(choice);
    rows_.push_back({&setting, all, control, reset, words});
    present(rows_.back());
}

QWidget* SettingsDialog::makeControl(const Setting& setting, QWidget* parent) {
    switch (setting.kind) {
        case Setting::Kind::Toggle: {
            auto* box = new QCheckBox(parent);
            connect(box, &QCheckBox::toggled, this, [&setting](bool on) { setting.set(on); });
            return box;
        }
        case Setting::Kind::Choice: {
            auto* box = new QComboBox(parent);
            for (const Setting::Choice& choice : setting.choices) box->addItem(shown(choice), choice.value);
            connect(box, &QComboBox::activated, this, [&setting, box](int at) { setting.set(box->itemData(at)); });
            return box;
        }
        case Setting::Kind::Number: {
            auto* box = new QSpinBox(parent);
            box->setRange(setting.least, setting.most);
            connect(box, &QSpinBox::valueChanged, this, [&setting](int value) { setting.set(value); });
            return box;
        }
        case Setting::Kind::Words: {
            auto* edit = new QLineEdit(parent);
            edit->setFont(views::Theme::instance().monoFont());
            connect(edit, &QLineEdit::editingFinished, this, [&setting, edit] {
                const QString text = edit->text().trimmed();
                if (text.isEmpty())
                    setting.reset();
                else
                    setting.set(text);
                edit->setText(setting.words());
            });
            return edit;
        }
    }
    return nullptr;
}

void SettingsDialog::present(const Row& row) {
    const QSignalBlocker silent(row.control);
    const Setting& setting = *row.setting;
    if (auto* toggle = qobject_cast<QCheckBox*>(row.control)) toggle->setChecked(setting.isOn());
    if (auto* choice = qobject_cast<QComboBox*>(row.control))
        choice->setCurrentIndex(choice->findData(setting.value()));
    if (auto* number = qobject_cast<QSpinBox*>(row.control)) number->setValue(setting.number());
    if (auto* words = qobject_cast<QLineEdit*>(row.control)) {
        words->setText(setting.words());
        words->setToolTip(setting.words());
        words->setCursorPosition(0);
    }
    row.reset->setVisible(setting.isSet());
}

void SettingsDialog::filter(const QString& text) {
    const QStringList words = text.simplified().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    std::vector<bool> groups(headings_.size());
    bool is_any = false;
    for (const Row& row : rows_) {
        const bool is_found = hasAll(row.words, words);
        row.all->setVisible(is_found);
        is_any = is_any || is_found;
        if (is_found) groups[static_cast<std::size_t>(row.setting->group)] = true;
    }
    for (std::size_t group = 0; group < headings_.size(); ++group) {
        if (headings_[group] != nullptr) headings_[group]->setVisible(groups[group]);
    }
    area_->setVisible(is_any);
    nothing_->setVisible(!is_any);
}

}  // namespace loupe::window
