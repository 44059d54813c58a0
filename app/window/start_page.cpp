// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/start_page.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QFileInfo>
#include <QGridLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QSet>
#include <algorithm>
#include <functional>

#include "app/window/far_connection.h"
#include "app/window/language.h"
#include "app/window/resources.h"
#include "app/window/tours.h"
#include "core/session/far_place.h"
#include "views/common/icons.h"
#include "views/common/setting.h"
#include "views/common/theme.h"

namespace loupe::window {

using views::Theme;

namespace {

QLabel* label(const QString& text, double points, Theme::Colour colour, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setStyleSheet(QStringLiteral("font-size: %1pt; color: %2; background: transparent;")
                             .arg(points)
                             .arg(Theme::instance().colour(colour).name()));
    return label;
}

QLabel* columnHeading(const QString& text, QWidget* parent) {
    QLabel* line = label(text, 9, Theme::Colour::Faint, parent);
    line->setStyleSheet(line->styleSheet() + QStringLiteral("font-weight: 600;"));
    return line;
}

// "12 minutes ago", "yesterday, 14:02".
QString whenText(const QDateTime& time) {
    const qint64 minutes = time.secsTo(QDateTime::currentDateTime()) / 60;
    if (minutes < 1) return StartPage::tr("just now");
    if (minutes < 60)
        return minutes == 1 ? StartPage::tr("a minute ago") : StartPage::tr("%1 minutes ago").arg(minutes);
    const QString clock = time.toString(QStringLiteral("HH:mm"));
    const qint64 days = time.date().daysTo(QDate::currentDate());
    if (days == 0) return StartPage::tr("today, %1").arg(clock);
    if (days == 1) return StartPage::tr("yesterday, %1").arg(clock);
    return textLocale().toString(time, StartPage::tr("d MMMM, HH:mm"));
}

// A button that Enter presses like Space.
class EnterButton : public QPushButton {
  public:
    using QPushButton::QPushButton;

  protected:
    void keyPressEvent(QKeyEvent* event) override {
        const bool isEnter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
        if (isEnter && event->modifiers() == Qt::NoModifier) return click();
        QPushButton::keyPressEvent(event);
    }
};

// A line of several words that starts a tour; buttons do not wrap.
class TourLine : public QLabel {
  public:
    TourLine(const QString& text, std::function<void()> start, QWidget* parent)
        : QLabel(text, parent), start_(std::move(start)) {
        setWordWrap(true);
        setTextFormat(Qt::PlainText);
        setCursor(Qt::PointingHandCursor);
        setFocusPolicy(Qt::TabFocus);
        setToolTip(StartPage::tr("Show it step by step"));
        setAccessibleName(text);
        const Theme& theme = Theme::instance();
        setStyleSheet(QStringLiteral("QLabel { font-size: 9pt; color: %1; background: transparent; }"
                                     "QLabel:hover, QLabel:focus { color: %2; text-decoration: underline; }")
                          .arg(theme.colour(Theme::Colour::Text).name(), theme.colour(Theme::Colour::Accent).name()));
    }

  protected:
    void mousePressEvent(QMouseEvent* event) override { event->accept(); }
    void mouseReleaseEvent(QMouseEvent* event) override {
        if (rect().contains(event->position().toPoint())) start_();
    }
    void keyPressEvent(QKeyEvent* event) override {
        if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || event->key() == Qt::Key_Space)
            return start_();
        QLabel::keyPressEvent(event);
    }

  private:
    std::function<void()> start_;
};

// A card that is a button, for keyboard and screen readers.
class Card : public EnterButton {
  public:
    using Start = std::function<void(const QString& tour)>;
    Card(const QString& title, const QString& description, const std::vector<ThingToTry>& tries, const Start& start,
         QWidget* parent)
        : EnterButton(parent) {
        setAccessibleName(title);
        setAccessibleDescription(description);
        setCursor(Qt::PointingHandCursor);
        setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Expanding);
        setStyleSheet(
            QStringLiteral("QPushButton { background: %1; border: 1px solid %2; border-radius: 6px; text-align: left; }"
                           "QPushButton:hover, QPushButton:focus { border-color: %3; }")
                .arg(Theme::instance().colour(Theme::Colour::Panel).name(),
                     Theme::instance().colour(Theme::Colour::Border).name(),
                     Theme::instance().colour(Theme::Colour::Accent).name()));
        auto* column = new QVBoxLayout(this);
        column->setContentsMargins(16, 14, 16, 14);
        column->setSpacing(6);
        column->addWidget(label(title, 12, Theme::Colour::Text, this));
        column->addWidget(label(description, 9, Theme::Colour::Faint, this));
        if (!tries.empty()) {
            column->addSpacing(6);
            column->addWidget(columnHeading(StartPage::tr("Try"), this));
        }
        std::vector<QWidget*> lines;
        for (const ThingToTry& thing : tries) {
            auto* row = new QHBoxLayout;
            row->setSpacing(6);
            QLabel* dot = label(QStringLiteral("\u203a"), 10, Theme::Colour::Accent, this);
            row->addWidget(dot, 0, Qt::AlignTop);
            QLabel* line = thing.tour.isEmpty() ? label(thing.text, 9, Theme::Colour::Text, this)
                                                : new TourLine(
                                                      thing.text, [start, tour = thing.tour] { start(tour); }, this);
            if (!thing.tour.isEmpty()) {
                line->setObjectName(QStringLiteral("tour.") + thing.tour);
                lines.push_back(line);
            }
            row->addWidget(line, 1);
            column->addLayout(row);
        }
        column->addStretch(1);
        for (QLabel* child : findChildren<QLabel*>()) {
            if (std::find(lines.begin(), lines.end(), child) == lines.end())
                child->setAttribute(Qt::WA_TransparentForMouseEvents);
        }
    }
    QSize sizeHint() const override { return layout()->sizeHint(); }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override { return layout()->heightForWidth(width); }
};

// A line of a list that is pressed.
void makeRow(QPushButton* row) {
    row->setFlat(true);
    row->setCursor(Qt::PointingHandCursor);
    row->setStyleSheet(
        QStringLiteral(
            "QPushButton { text-align: left; padding: 4px 6px; border: 1px solid transparent; border-radius: 4px; }"
            "QPushButton:hover, QPushButton:focus { background: %1; }")
            .arg(Theme::instance().colour(Theme::Colour::Raised).name()));
}

}  // namespace

StartPage::StartPage(QWidget* parent) : QScrollArea(parent) {
    setObjectName(QStringLiteral("startPage"));
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    connect(&Theme::instance(), &Theme::changed, this, &StartPage::rebuild);
    rebuild();
}

void StartPage::setRecentFiles(const QStringList& files) {
    if (files == recent_) return;
    recent_ = files;
    rebuild();
}

void StartPage::setLastSession(std::optional<EndedSession> session) {
    const bool isSame = session.has_value() == last_.has_value() &&
                        (!session || (session->folder == last_->folder && session->written == last_->written));
    if (isSame) return;
    last_ = std::move(session);
    rebuild();
}

void StartPage::focusFirst() {
    for (QPushButton* button : widget()->findChildren<QPushButton*>()) {
        if (button->objectName() != QLatin1String("restoreSession") &&
            !button->objectName().startsWith(QLatin1String("model.")))
            continue;
        button->setFocus();
        return;
    }
}

void StartPage::addTitle(QVBoxLayout* column, QWidget* page) {
    auto* title = new QHBoxLayout;
    auto* logo = new QLabel(page);
    logo->setPixmap(views::themeIcon(QStringLiteral("tensorloupe")).pixmap(44, 44));
    logo->setAccessibleName(QStringLiteral("Tensorloupe"));
    title->addWidget(logo);
    auto* words = new QVBoxLayout;
    words->setSpacing(0);
    words->addWidget(label(QStringLiteral("Tensorloupe"), 20, Theme::Colour::Text, page));
    words->addWidget(
        label(tr("Open a model, run it forward and backward one operator at a time, and look at everything."), 10,
              Theme::Colour::Faint, page));
    title->addLayout(words, 1);
    auto* open = new EnterButton(views::themeIcon(QStringLiteral("open")), tr("Open a model\u2026"), page);
    open->setToolTip(tr("Open a TorchScript file (Ctrl+O). You can also drop one on this window."));
    open->setMinimumHeight(32);
    connect(open, &QPushButton::clicked, this, &StartPage::openDialog);
    title->addWidget(open);
    column->addLayout(title);
    column->addSpacing(18);
}

void StartPage::addLastSession(QVBoxLayout* column, QWidget* page) {
    column->addWidget(columnHeading(tr("Last session"), page));
    const QString title = tr("Restore the last session: %1").arg(QFileInfo(last_->model).fileName());
    const QString how = last_->was_closed
                            ? whenText(last_->written)
                            : tr("%1; the program ended without being closed").arg(whenText(last_->written));
    auto* card = new Card(title, last_->what.isEmpty() ? how : QStringLiteral("%1  \u00b7  %2").arg(last_->what, how),
                          {}, {}, page);
    card->setObjectName(QStringLiteral("restoreSession"));
    card->setToolTip(
        tr("Opens %1 with its inputs, breakpoints, edits, panels and the run as it was").arg(last_->model));
    connect(card, &QPushButton::clicked, this, [this, folder = last_->folder] { emit restoreSession(folder); });
    column->addWidget(card);
    auto* always = new QCheckBox(tr("Restore it at every start"), page);
    always->setObjectName(QStringLiteral("restoreAtStart"));
    always->setChecked(views::settings::kRestoreAtStart.isOn());
    connect(always, &QCheckBox::toggled, this, [](bool on) { views::settings::kRestoreAtStart.set(on); });
    column->addWidget(always);
    column->addSpacing(18);
}

void StartPage::addShippedModels(QVBoxLayout* column, QWidget* page) {
    column->addWidget(columnHeading(tr("Models to begin with"), page));
    auto* cards = new QHBoxLayout;
    cards->setSpacing(12);
    for (const ShippedModel& model : shippedModels()) {
        auto* card = new Card(
            model.title, model.description, model.thingsToTry, [this](const QString& tour) { emit startTour(tour); },
            page);
        card->setObjectName(QStringLiteral("model.") + QFileInfo(model.file).completeBaseName());
        card->setToolTip(tr("Open %1").arg(model.file));
        connect(card, &QPushButton::clicked, this, [this, file = model.file] { emit openFile(file); });
        cards->addWidget(card, 1);
    }
    column->addLayout(cards);
    column->addSpacing(18);
}

void StartPage::addTours(QVBoxLayout* column, QWidget* page) {
    // Those of a model stand in its card.
    QSet<QString> shown;
    for (const ShippedModel& model : shippedModels()) {
        for (const ThingToTry& thing : model.thingsToTry) shown.insert(thing.tour);
    }
    auto* rows = new QGridLayout;
    rows->setHorizontalSpacing(12);
    rows->setVerticalSpacing(2);
    int count = 0;
    constexpr int kColumns = 3;
    for (const Tour& tour : shippedTours()) {
        if (shown.contains(tour.name)) continue;
        auto* button = new EnterButton(tour.title, page);
        button->setObjectName(QStringLiteral("tour.") + tour.name);
        button->setToolTip(tour.summary);
        button->setFlat(true);
        button->setCursor(Qt::PointingHandCursor);
        button->setStyleSheet(
            QStringLiteral("QPushButton { text-align: left; padding: 4px 6px; border: 1px solid transparent; "
                           "border-radius: 4px; color: %1; } QPushButton:hover, QPushButton:focus { background: %2; }")
                .arg(Theme::instance().colour(Theme::Colour::Accent).name(),
                     Theme::instance().colour(Theme::Colour::Raised).name()));
        connect(button, &QPushButton::clicked, this, [this, name = tour.name] { emit startTour(name); });
        rows->addWidget(button, count / kColumns, count % kColumns);
        ++count;
    }
    if (count == 0) return delete rows;
    column->addWidget(columnHeading(tr("Guided tours"), page));
    column->addLayout(rows);
    column->addSpacing(18);
}

void StartPage::addRecentFiles(QVBoxLayout* column, QWidget* page) {
    column->addWidget(columnHeading(tr("Recent files"), page));
    if (recent_.empty())
        column->addWidget(label(tr("Files that you open are listed here."), 9, Theme::Colour::Faint, page));
    for (const QString& file : recent_.mid(0, 8)) {
        auto* row = new EnterButton(page);
        row->setText(QStringLiteral("%1    %2").arg(QFileInfo(file).fileName(), QFileInfo(file).absolutePath()));
        row->setIcon(views::themeIcon(QStringLiteral("model")));
        makeRow(row);
        connect(row, &QPushButton::clicked, this, [this, file] { emit openFile(file); });
        column->addWidget(row);
    }
}

// For those who have a program rather than a file.
void StartPage::addPyTorch(QVBoxLayout* column, QWidget* page) {
    column->addSpacing(18);
    column->addWidget(columnHeading(tr("From your PyTorch program"), page));
    const auto add = [&](const QString& title, const QString& name, const QString& tip, auto press) {
        auto* row = new EnterButton(title, page);
        row->setObjectName(name);
        row->setToolTip(tip);
        makeRow(row);
        connect(row, &QPushButton::clicked, this, press);
        column->addWidget(row);
    };
    add(tr("Attach to a training that runs\u2026"), QStringLiteral("attachTraining"),
        tr("A PyTorch program that calls tensorloupe.watch(): its training is shown while it runs"),
        [this] { emit attachWanted(); });
    add(tr("Watch a training: tensorloupe.watch()"), QStringLiteral("howToWatch"), tr("Opens the page of the help"),
        [this] { emit pageWanted(QStringLiteral("watch"), {}); });
    add(tr("Record a step: tensorloupe.record()"), QStringLiteral("howToRecord"), tr("Opens the page of the help"),
        [this] { emit pageWanted(QStringLiteral("guide"), QStringLiteral("My model runs in PyTorch")); });
}

void StartPage::addHosts(QVBoxLayout* column, QWidget* page) {
    if (session::far_place() != nullptr) return;  // a window has one engine
    column->addSpacing(18);
    column->addWidget(columnHeading(tr("Engines elsewhere"), page));
    const auto add = [&](const QString& title, const QString& name, const QString& address) {
        auto* row = new EnterButton(title, page);
        row->setObjectName(name);
        makeRow(row);
        connect(row, &QPushButton::clicked, this, [this, address] { emit connectWanted(address); });
        column->addWidget(row);
    };
    for (const QString& address : FarConnection::recent().mid(0, 4))
        add(address, QStringLiteral("host.") + address, address);
    add(tr("Connect to another machine\u2026"), QStringLiteral("connect"), {});
}

void StartPage::rebuild() {
    const bool hadFocus = widget() && widget()->isAncestorOf(focusWidget());
    auto* page = new QWidget;
    page->setStyleSheet(QStringLiteral("background: %1;").arg(Theme::instance().colour(Theme::Colour::Window).name()));
    auto* centred = new QHBoxLayout(page);
    auto* column = new QVBoxLayout;
    centred->addStretch(1);
    centred->addLayout(column, 12);
    centred->addStretch(1);
    column->setContentsMargins(0, 44, 0, 32);
    column->setSpacing(10);
    addTitle(column, page);
    if (last_) addLastSession(column, page);
    addShippedModels(column, page);
    addTours(column, page);
    addRecentFiles(column, page);
    addPyTorch(column, page);
    addHosts(column, page);
    column->addStretch(1);
    column->addWidget(label(tr("F5 runs, F10 steps, F6 runs to the next NaN or Inf, F7 to backward. "
                               "Ctrl+Shift+P finds every command, Ctrl+P every module and node."),
                            9, Theme::Colour::Faint, page));
    setWidget(page);
    if (hadFocus) focusFirst();
}

}  // namespace loupe::window
