// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/explain/explain_view.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "core/session/queries/value_tokens.h"
#include "views/common/bar_delegate.h"
#include "views/common/elided_label.h"
#include "views/common/empty_hint.h"
#include "views/common/format.h"
#include "views/common/panel_bar.h"
#include "views/common/panel_output.h"
#include "views/common/theme.h"
#include "views/common/token_text.h"
#include "views/explain/share_picture.h"

namespace loupe::views {
namespace {

using session::ElementShare;
using session::Explanation;
using session::ShareGroup;
using session::ShareKind;

enum Column { kWhat, kShare, kElement, kCoefficient, kWhere };

// Of items: which group of groups_ they are of, and the element they stand for.
constexpr int kGroupRole = Qt::UserRole + 1;
constexpr int kValueRole = Qt::UserRole + 2;
constexpr int kIndexRole = Qt::UserRole + 3;
constexpr int kEventRole = Qt::UserRole + 4;
constexpr int kWaitsRole = Qt::UserRole + 5;  // its own step is not asked for yet

QVariantList asVariant(const session::Shape& index) {
    QVariantList list;
    for (const std::int64_t i : index) list += QVariant::fromValue<qlonglong>(i);
    return list;
}
session::Shape asShape(const QVariant& variant) {
    session::Shape index;
    for (const QVariant& i : variant.toList()) index.push_back(i.toLongLong());
    return index;
}

QString kindText(ShareKind kind) {
    switch (kind) {
        case ShareKind::Given:
            return ExplainView::tr("given");
        case ShareKind::Exact:
            return ExplainView::tr("exact: linear");
        case ShareKind::Held:
            return ExplainView::tr("exact, with its scale held");
        case ShareKind::Element:
            return ExplainView::tr("the very element");
        case ShareKind::Derivative:
            return ExplainView::tr("by derivative: gradient \u00d7 element");
        case ShareKind::Read:
            return ExplainView::tr("read, without a derivative");
        case ShareKind::Random:
            return ExplainView::tr("a random draw");
        case ShareKind::Sum:
            return ExplainView::tr("gradients added up");
        case ShareKind::Unknown:
            return ExplainView::tr("not known");
    }
    return {};
}

QString roleText(const ShareGroup& group) {
    const QString argument = text(group.argument);
    switch (group.role) {
        case ShareGroup::Role::Factor:
            return ExplainView::tr("\u00d7 %1").arg(argument);
        case ShareGroup::Role::Selector:
            return ExplainView::tr("chosen by %1").arg(argument);
        case ShareGroup::Role::Reached:
            return shortOpName(group.argument);
        case ShareGroup::Role::Source:
        case ShareGroup::Role::Constant:
            return argument;
    }
    return argument;
}

// "[0, 0:3, 2:5]"
QString boxText(const ShareGroup& group) {
    QStringList parts;
    for (std::size_t d = 0; d < group.from.size(); ++d)
        parts += group.to[d] - group.from[d] <= 1 ? QString::number(group.from[d])
                                                  : QStringLiteral("%1:%2").arg(group.from[d]).arg(group.to[d]);
    return parts.isEmpty() ? QString() : QStringLiteral("[%1]").arg(parts.join(QStringLiteral(", ")));
}

QIcon thumbnail(const ShareGroup& group) {
    const QImage image = shareImage(group);
    if (image.isNull() || group.rows * group.columns < 2) return {};
    return QPixmap::fromImage(image.scaled(20, 20, Qt::IgnoreAspectRatio, Qt::FastTransformation));
}

}  // namespace

ViewDescription ExplainView::describe() {
    return {QStringLiteral("explain"), tr("Explain"),
            tr("Where a number comes from: the operator and the elements that made it, with the share of each, back to "
               "pixels, tokens and weights; and what an element reaches. Right-click a number in Tensor to ask."),
            QStringLiteral("explain"), Place::Right};
}

ExplainView::ExplainView(SessionBridge& bridge, QWidget* parent) : View(bridge, parent) {
    auto* bar = new PanelBar(this);
    name_ = bar->search(tr("fc.out[0, 3]"), tr("The element to explain"));
    name_->setObjectName(QStringLiteral("explainName"));
    name_->setToolTip(
        tr("A value and an index of each dimension: out[0, 3], layer1.0.conv1.out[0, 3, 5, 5], fc.weight.grad[3, 0]"));
    connect(name_, &QLineEdit::returnPressed, this, [this] { explainName(name_->text()); });
    step_ = bar->toggle(tr("Step by step"), tr("The operator that made it; open an element to go on"));
    to_inputs_ = bar->toggle(tr("To the inputs"),
                             tr("All the way: how much of the number came from each input, weight and constant"));
    reach_ = bar->toggle(tr("What it reaches"), tr("Forward: the elements that depend on it, and how much"));
    for (const auto& [button, way] :
         {std::pair(step_, Way::Step), std::pair(to_inputs_, Way::ToInputs), std::pair(reach_, Way::Reach)})
        connect(button, &QToolButton::clicked, this, [this, way = way] { setWay(way); });
    facts_ = bar->note(120);
    auto* splitter = new QSplitter(Qt::Vertical, this);
    tree_ = new QTreeWidget(splitter);
    tree_->setObjectName(QStringLiteral("explainTree"));
    tree_->setAccessibleName(tr("What the number was made of"));
    tree_->setHeaderLabels({tr("Of"), tr("Share"), tr("Element"), tr("Coefficient"), tr("Where")});
    tree_->setIconSize({20, 20});
    tree_->setUniformRowHeights(true);
    tree_->setFont(Theme::instance().monoFont());
    tree_->setItemDelegateForColumn(kShare, new BarDelegate(tree_));
    tree_->setContextMenuPolicy(Qt::CustomContextMenu);
    tree_->header()->setStretchLastSection(true);
    for (const auto& [column, width] :
         {std::pair(kWhat, 250), std::pair(kShare, 90), std::pair(kElement, 80), std::pair(kCoefficient, 80)})
        tree_->header()->resizeSection(column, width);
    connect(tree_, &QTreeWidget::itemExpanded, this, &ExplainView::open);
    connect(tree_, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem* item) { choose(item); });
    connect(tree_, &QTreeWidget::itemClicked, this, &ExplainView::goTo);
    connect(tree_, &QTreeWidget::customContextMenuRequested, this, &ExplainView::showMenu);
    auto* below = new QWidget(splitter);
    auto* column = new QVBoxLayout(below);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    sum_ = new QLabel(below);
    sum_->setObjectName(QStringLiteral("explainSum"));
    sum_->setFont(Theme::instance().monoFont());
    sum_->setTextFormat(Qt::PlainText);
    sum_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    sum_->setWordWrap(true);
    sum_->setContentsMargins(8, 3, 8, 3);
    column->addWidget(sum_);
    picture_ = new SharePicture(below);
    column->addWidget(picture_, 1);
    hover_ = faintLine(below);
    column->addWidget(hover_);
    connect(picture_, &SharePicture::hovered, this,
            [this](const QString& words) { hover_->setText(words.isEmpty() ? QStringLiteral(" ") : words); });
    splitter->addWidget(tree_);
    splitter->addWidget(below);
    splitter->setStretchFactor(0, 1);
    splitter->setStretchFactor(1, 0);
    splitter->setSizes({400, 190});
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(bar);
    layout->addWidget(splitter, 1);
    hint_ = new EmptyHint(tree_);
    connect(&bridge, &SessionBridge::explanationWanted, this, &ExplainView::explain);
    connect(&bridge, &SessionBridge::recordingChanged, this, [this] {
        if (shown_in_ != nullptr && shown_in_ != this->bridge().recording()) showExplanation({});
    });
    connect(&bridge, &SessionBridge::statusChanged, this, [this] {
        if (shown_.value == 0 && shown_.error.empty()) showHint({});
    });
    showExplanation({});
}

QString ExplainView::emptyNote() const { return shown_.value == 0 ? hint_->text() : QString(); }

// --- questions

void ExplainView::explain(session::ValueId value, const session::Shape& index) {
    if (asked_.value != 0) before_.push_back(asked_);
    asked_ = {};
    asked_.value = value;
    asked_.index = index;
    askTop();
}

void ExplainView::explainName(const QString& name) {
    asked_ = {};
    asked_.way = to_inputs_->isChecked() ? Way::ToInputs : reach_->isChecked() ? Way::Reach : Way::Step;
    asked_.name = name.trimmed().toStdString();
    if (!asked_.name.empty()) askTop();
}

void ExplainView::setWay(Way way) {
    asked_.way = way;
    if (asked_.value == 0 && shown_.value != 0) {
        asked_.value = shown_.value;
        asked_.index = shown_.index;
        asked_.name.clear();
    }
    askTop();
}

void ExplainView::ask(const session::ExplainQuery& query, const QString& tag,
                      const std::function<void(const Explanation&)>& reply) {
    ++waiting_;
    bridge().ask(tag, query, this, [this, reply](const Explanation& answer) {
        --waiting_;
        reply(answer);
    });
}

void ExplainView::askTop() {
    step_->setChecked(asked_.way == Way::Step);
    to_inputs_->setChecked(asked_.way == Way::ToInputs);
    reach_->setChecked(asked_.way == Way::Reach);
    if (asked_.value == 0 && asked_.name.empty()) return;
    // A newer question takes the place of one that waits, whose reply never comes.
    const int question = ++questions_;
    waiting_ = 0;
    ask(asked_, QStringLiteral("explain"), [this, question](const Explanation& answer) {
        if (question == questions_) showExplanation(answer);
    });
}

// --- what is shown

QString ExplainView::place(const Explanation& e) const {
    if (e.event == 0) return {};
    QString where = QStringLiteral("#%1 %2").arg(e.event).arg(shortOpName(e.op));
    if (!e.scope.empty()) where += tr(" in %1").arg(text(e.scope));
    if (!e.source_file.empty())
        where += QStringLiteral(" (%1:%2)").arg(text(e.source_file).section(QLatin1Char('/'), -1)).arg(e.source_line);
    return where;
}

void ExplainView::showHint(const QString& why) {
    const auto& recording = bridge().recording();
    const bool hasRun = recording && recording->event_count() > 0;
    hint_->say(!why.isEmpty() ? why
               : hasRun ? tr("Right-click a number in Tensor, or name one above: where it comes from is shown here.")
                        : tr("Run the model (F5): then any number can be asked where it comes from."));
}

void ExplainView::showExplanation(const Explanation& e) {
    ++questions_;  // replies about items of the tree before come too late
    shown_ = e;
    shown_in_ = bridge().recording();
    groups_.clear();
    tree_->clear();
    picture_->setGroup({});
    sum_->clear();
    facts_->setText({});
    if (!e.error.empty() || e.value == 0) {
        shown_.value = 0;
        return showHint(text(e.error));
    }
    hint_->say({});
    const QString name = (e.name.empty() ? tr("value %1").arg(e.value) : text(e.name)) + indexText(e.index);
    if (!name_->hasFocus()) name_->setText(name);
    facts_->setText(tr("%1  %2").arg(place(e), kindText(e.kind)));
    auto* top = new QTreeWidgetItem(tree_);
    top->setText(kWhat, name);
    top->setText(kElement, numberText(e.number));
    top->setText(kWhere, text(e.text));
    top->setToolTip(kWhere, text(e.text));
    top->setData(kWhat, kEventRole, e.event);
    top->setData(kWhat, kValueRole, e.value);
    top->setData(kWhat, kIndexRole, asVariant(e.index));
    fill(top, e);
    top->setExpanded(true);
    for (int i = 0; i < std::min(2, top->childCount()); ++i) top->child(i)->setExpanded(true);
    if (top->childCount() > 0) tree_->setCurrentItem(top->child(0));
    if (session::has_sum(e)) {
        const double all = e.sources + e.constant + e.remainder;
        sum_->setText(tr("shares %1 + constant %2 + remainder %3 = %4 (%5)")
                          .arg(numberText(e.sources), numberText(e.constant), numberText(e.remainder), numberText(all),
                               kindText(e.kind)));
        sum_->setToolTip(tr("The number itself is %1").arg(QString::number(e.number, 'g', 9)));
        if (asked_.way == Way::Reach) sum_->setText(text(e.text));
    }
}

void ExplainView::addNote(QTreeWidgetItem* parent, const QString& words, bool isBad) {
    auto* item = new QTreeWidgetItem(parent);
    item->setText(kWhat, words);
    item->setToolTip(kWhat, words);
    item->setFirstColumnSpanned(true);
    item->setData(kWhat, Qt::ForegroundRole, Theme::themed(isBad ? Theme::Colour::Bad : Theme::Colour::Faint));
}

void ExplainView::fill(QTreeWidgetItem* parent, const Explanation& e) {
    for (const std::string& cause : e.causes) addNote(parent, text(cause), true);
    double whole = 0;
    for (const ShareGroup& group : e.groups) {
        for (const ElementShare& share : group.top)
            if (std::isfinite(share.share)) whole = std::max(whole, std::abs(share.share));
        if (std::isfinite(group.share)) whole = std::max(whole, std::abs(group.share));
    }
    for (const ShareGroup& group : e.groups) {
        QTreeWidgetItem* item = addGroup(parent, group, whole);
        for (const ElementShare& share : group.top) addElement(item, group, share, whole);
        if (group.value != 0 && group.shape.size() > 1) nameTokens(item, group.value);
        if (const auto others = group.count - std::ssize(group.top); others > 0 && !group.top.empty())
            addNote(item, tr("and %1").arg(counted(others, "smaller one")));
        // One element needs no level of its own.
        if (group.count == 1 && group.role == ShareGroup::Role::Source) item->setExpanded(true);
    }
    if (e.constant != 0) addNote(parent, tr("constant %1: what the operator adds itself").arg(numberText(e.constant)));
    if (e.kind == ShareKind::Derivative && e.remainder != 0)
        addNote(parent, tr("remainder %1: what the derivative does not explain").arg(numberText(e.remainder)));
    for (const std::string& note : e.notes) addNote(parent, text(note));
}

// Where an axis stands for the tokens of a text, elements are named by theirs.
void ExplainView::nameTokens(QTreeWidgetItem* group, session::ValueId value) {
    const int question = questions_;
    static int number = 0;
    bridge().ask(QStringLiteral("explain-tokens-%1").arg(++number), session::ValueTokensQuery{value}, this,
                 [this, group, question](const session::ValueTokens& tokens) {
                     if (question != questions_) return;  // the tree is another one
                     for (int i = 0; i < group->childCount(); ++i) {
                         QTreeWidgetItem* item = group->child(i);
                         const session::Shape index = asShape(item->data(kWhat, kIndexRole));
                         QStringList names;
                         for (std::size_t d = 0; d < std::min(index.size(), tokens.axes.size()); ++d) {
                             const auto at = static_cast<std::size_t>(index[d]);
                             const auto& all = tokens.axes[d].names;
                             if (at < all.size() && !all[at].empty()) names += visibleText(text(all[at]));
                         }
                         if (!names.isEmpty()) item->setText(kWhere, names.join(QStringLiteral(", ")));
                     }
                 });
}

QTreeWidgetItem* ExplainView::addGroup(QTreeWidgetItem* parent, const ShareGroup& group, double whole) {
    auto* item = new QTreeWidgetItem(parent);
    const QString name = text(group.name);
    item->setText(kWhat, QStringLiteral("%1  %2%3").arg(roleText(group), name, boxText(group)));
    item->setToolTip(kWhat, tr("%1 of %2").arg(counted(group.count, "element"), shapeText(group.shape)));
    const bool isSum = group.role == ShareGroup::Role::Source || group.role == ShareGroup::Role::Constant ||
                       (group.role == ShareGroup::Role::Selector && group.share != 0);
    if (isSum) {
        item->setText(kShare, numberText(group.share));
        item->setData(kShare, BarDelegate::kShareRole, whole > 0 ? std::min(1.0, std::abs(group.share) / whole) : 0.0);
    }
    if (group.count > 1) item->setText(kElement, counted(group.count, "element"));
    if (group.event != 0) {
        const auto& recording = bridge().recording();
        if (recording && group.event <= recording->event_count()) {
            const session::Event& event = recording->event(group.event);
            item->setText(kWhere,
                          QStringLiteral("#%1 %2 %3").arg(group.event).arg(shortOpName(event.op), text(event.scope)));
        }
    }
    item->setIcon(kWhat, thumbnail(group));
    item->setData(kWhat, kGroupRole, static_cast<int>(groups_.size()));
    item->setData(kWhat, kEventRole, group.event);
    item->setData(kWhat, kValueRole, group.value);
    groups_.push_back(group);
    return item;
}

void ExplainView::addElement(QTreeWidgetItem* parent, const ShareGroup& group, const ElementShare& share,
                             double whole) {
    auto* item = new QTreeWidgetItem(parent);
    item->setText(kWhat, indexText(share.index));
    item->setText(kShare, numberText(share.share));
    item->setText(kElement, numberText(share.element));
    item->setText(kCoefficient, numberText(share.coefficient));
    const bool isBad = !std::isfinite(share.element) || !std::isfinite(share.coefficient);
    if (isBad) item->setData(kElement, Qt::ForegroundRole, Theme::themed(Theme::Colour::Bad));
    if (whole > 0 && std::isfinite(share.share))
        item->setData(kShare, BarDelegate::kShareRole, std::abs(share.share) / whole);
    item->setData(kWhat, kGroupRole, parent->data(kWhat, kGroupRole));
    item->setData(kWhat, kEventRole, group.event);
    item->setData(kWhat, kValueRole, group.value);
    item->setData(kWhat, kIndexRole, asVariant(share.index));
    if (group.event == 0 || group.value == 0 || asked_.way != Way::Step) return;
    item->setData(kWhat, kWaitsRole, true);
    item->setChildIndicatorPolicy(QTreeWidgetItem::ShowIndicator);
}

// The next step back of an element, when it is opened first.
void ExplainView::open(QTreeWidgetItem* item) {
    if (!item->data(kWhat, kWaitsRole).toBool()) return;
    item->setData(kWhat, kWaitsRole, false);
    session::ExplainQuery query;
    query.value = item->data(kWhat, kValueRole).toUInt();
    query.index = asShape(item->data(kWhat, kIndexRole));
    const int question = questions_;
    static int number = 0;
    ask(query, QStringLiteral("explain-%1").arg(++number), [this, item, question](const Explanation& e) {
        if (question != questions_) return;  // the tree is another one
        if (!e.error.empty()) return addNote(item, text(e.error), true);
        addNote(item, QStringLiteral("%1: %2 (%3)").arg(place(e), text(e.text), kindText(e.kind)));
        fill(item, e);
        if (item->childCount() > 1) item->child(1)->setExpanded(true);
    });
}

void ExplainView::choose(QTreeWidgetItem* item) {
    const QVariant group = item == nullptr ? QVariant() : item->data(kWhat, kGroupRole);
    const bool isGroup = group.isValid() && group.toInt() < static_cast<int>(groups_.size());
    picture_->setGroup(isGroup ? groups_[static_cast<std::size_t>(group.toInt())] : ShareGroup{});
}

// The event that made it becomes the current one everywhere; a weight or input is shown in Tensor.
void ExplainView::goTo(QTreeWidgetItem* item) {
    const auto event = item->data(kWhat, kEventRole).toUInt();
    const auto value = item->data(kWhat, kValueRole).toUInt();
    const auto& recording = bridge().recording();
    if (recording && event != 0 && event <= recording->event_count()) bridge().setCurrentEvent(event);
    if (recording && value != 0 && value <= recording->value_count()) bridge().setCurrentValue(value);
}

// --- actions

void ExplainView::showMenu(const QPoint& at) {
    QMenu menu(this);
    if (const QTreeWidgetItem* item = tree_->itemAt(at); item != nullptr && item->data(kWhat, kIndexRole).isValid()) {
        const auto value = item->data(kWhat, kValueRole).toUInt();
        const session::Shape index = asShape(item->data(kWhat, kIndexRole));
        menu.addAction(tr("Explain this one"), this, [this, value, index] { explain(value, index); });
        menu.addAction(tr("What does it reach?"), this, [this, value, index] {
            asked_ = {.way = Way::Reach, .value = value, .index = index};
            askTop();
        });
        menu.addSeparator();
    }
    addActions(menu);
    menu.exec(tree_->viewport()->mapToGlobal(at));
}

void ExplainView::addActions(QMenu& menu) {
    QAction* back = menu.addAction(tr("Explain the number before"), this, [this] {
        if (before_.empty()) return;
        asked_ = before_.back();
        before_.pop_back();
        askTop();
    });
    back->setEnabled(!before_.empty());
    menu.addAction(tr("Copy the explanation"), this, [this] { QGuiApplication::clipboard()->setText(asText()); })
        ->setEnabled(shown_.value != 0);
}

QString ExplainView::asText() const {
    QStringList lines;
    const std::function<void(const QTreeWidgetItem*, int)> add = [&](const QTreeWidgetItem* item, int depth) {
        QStringList cells;
        for (int column = kWhat; column <= kWhere; ++column) cells += item->text(column);
        lines += QString(depth * 2, QLatin1Char(' ')) + cells.join(QLatin1Char('\t'));
        for (int i = 0; i < item->childCount(); ++i) add(item->child(i), depth + 1);
    };
    for (int i = 0; i < tree_->topLevelItemCount(); ++i) add(tree_->topLevelItem(i), 0);
    if (!sum_->text().isEmpty()) lines += sum_->text();
    return lines.join(QLatin1Char('\n'));
}

void ExplainView::find() {
    name_->setFocus();
    name_->selectAll();
}
void ExplainView::fit() { tree_->collapseAll(); }

}  // namespace loupe::views
