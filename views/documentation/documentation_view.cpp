// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/documentation/documentation_view.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QClipboard>
#include <QCompleter>
#include <QLineEdit>
#include <QScrollBar>
#include <QStandardItemModel>
#include <QTextBrowser>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>

#include "views/common/empty_hint.h"
#include "views/common/format.h"
#include "views/common/icons.h"
#include "views/common/theme.h"

namespace loupe::views {

using session::Event;
using session::EventId;
using session::RunPhase;

namespace {

constexpr std::size_t kMaxUses = 200;
constexpr int kNameRole = Qt::UserRole + 1;

QString fullName(const Event& event) {
    return event.overload.empty() ? text(event.op) : text(event.op) + u'.' + text(event.overload);
}

// Completions of the search field: every operator with its summary.
QStandardItemModel* titlesModel(QObject* parent) {
    auto* model = new QStandardItemModel(parent);
    for (const auto& title : session::list_operator_titles()) {
        const QString name = text(title.name);
        auto* item = new QStandardItem(QStringLiteral("%1   %2").arg(
            name.startsWith(QLatin1String("aten::")) ? name.mid(6) : name, text(title.summary)));
        item->setData(name, kNameRole);
        model->appendRow(item);
    }
    return model;
}

}  // namespace

ViewDescription DocumentationView::describe() {
    return {QStringLiteral("documentation"), tr("Documentation"),
            tr("What the current operator computes, what its gradient is, what it costs and which kernels it has. F1 "
               "on a node opens it; search for any other."),
            QStringLiteral("help"), Place::Right};
}

DocumentationView::DocumentationView(SessionBridge& bridge, QWidget* parent)
    : View(bridge, parent), search_(new QLineEdit(this)), back_(new QToolButton(this)), page_(new QTextBrowser(this)) {
    makeSearch();
    back_->setObjectName(QStringLiteral("documentationBack"));
    back_->setIcon(themeIcon(QStringLiteral("back")));
    back_->setToolTip(tr("The page before"));
    back_->setAccessibleName(tr("The page before"));
    connect(back_, &QToolButton::clicked, this, &DocumentationView::goBack);
    page_->setObjectName(QStringLiteral("documentationPage"));
    page_->setAccessibleName(tr("Documentation of the operator"));
    page_->setOpenLinks(false);
    page_->setFrameShape(QFrame::NoFrame);
    connect(page_, &QTextBrowser::anchorClicked, this, &DocumentationView::onLink);
    hint_ = new EmptyHint(page_);
    setFocusProxy(page_);

    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(4, 0, 4, 0);
    bar->addWidget(back_);
    bar->addWidget(search_, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 3, 0, 0);
    layout->setSpacing(3);
    layout->addLayout(bar);
    layout->addWidget(page_, 1);
    connect(&bridge, &SessionBridge::currentChanged, this, &DocumentationView::follow);
    connect(&bridge, &SessionBridge::modelChanged, this, &DocumentationView::update);
    connect(&bridge, &SessionBridge::recordingChanged, this, &DocumentationView::update);
    connect(&bridge, &SessionBridge::statusChanged, this, [this] {
        if (!this->bridge().isBusy()) update();
    });
    connect(&Theme::instance(), &Theme::changed, this, &DocumentationView::render);
    follow();
    update();
}

void DocumentationView::makeSearch() {
    search_->setObjectName(QStringLiteral("documentationSearch"));
    search_->setPlaceholderText(tr("Find an operator"));
    search_->setAccessibleName(tr("Find an operator"));
    search_->addAction(themeIcon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    search_->setClearButtonEnabled(true);
    // Filled on typing: thousands of names.
    connect(search_, &QLineEdit::textEdited, this, [this] {
        if (completer_) return;
        completer_ = new QCompleter(titlesModel(this), this);
        completer_->setFilterMode(Qt::MatchContains);
        completer_->setCaseSensitivity(Qt::CaseInsensitive);
        completer_->setMaxVisibleItems(14);
        completer_->popup()->setObjectName(QStringLiteral("documentationMatches"));
        connect(completer_, qOverload<const QModelIndex&>(&QCompleter::activated), this,
                [this](const QModelIndex& index) {
                    showOperator(index.data(kNameRole).toString());
                    // Behind the completer, which writes the whole row into the field.
                    QMetaObject::invokeMethod(search_, &QLineEdit::clear, Qt::QueuedConnection);
                    page_->setFocus();
                });
        search_->setCompleter(completer_);
        completer_->setCompletionPrefix(search_->text());
        completer_->complete();
    });
    connect(search_, &QLineEdit::returnPressed, this, [this] {
        const QString name = search_->text().trimmed();
        if (name.isEmpty() ||
            (completer_ && completer_->popup()->isVisible() && completer_->popup()->currentIndex().isValid()))
            return;
        const bool is_known = session::find_operator_info(name.toStdString()).has_value();
        const bool has_match = completer_ && completer_->completionCount() > 0;
        if (!is_known && !has_match) return;
        showOperator(is_known ? name : completer_->completionModel()->index(0, 0).data(kNameRole).toString());
        if (completer_) completer_->popup()->hide();
        search_->clear();
        page_->setFocus();
    });
}

// --- the page

EventId DocumentationView::forwardEvent() const {
    const EventId id = bridge().currentEvent();
    if (id == 0 || !bridge().recording()) return 0;
    const Event& event = bridge().recording()->event(id);
    return event.phase == RunPhase::Backward ? event.peer : id;
}

QString DocumentationView::currentOperator() const {
    if (const EventId id = forwardEvent()) return fullName(bridge().recording()->event(id));
    if (const EventId id = bridge().currentEvent(); id != 0 && bridge().recording())
        return text(bridge().recording()->event(id).op);
    const auto& model = bridge().model();
    const int node = bridge().currentNode();
    if (!model || !model->graph || node < 0 || node >= static_cast<int>(model->graph->nodes.size())) return {};
    return text(model->graph->nodes[static_cast<std::size_t>(node)].kind);
}

void DocumentationView::follow() {
    const QString name = currentOperator();
    if (name.isEmpty()) return update();
    seen_.clear();
    open(name);
}

void DocumentationView::open(const QString& name) {
    const bool is_other = name != shown_;
    shown_ = name;
    update();
    if (is_other) page_->verticalScrollBar()->setValue(0);
}

void DocumentationView::showOperator(const QString& name) {
    const auto info = session::find_operator_info(name.toStdString());
    if (!info) return;
    if (!shown_.isEmpty() && shown_ != text(info->name)) seen_ += shown_;
    open(text(info->name));
}

void DocumentationView::goBack() {
    if (seen_.isEmpty()) return;
    const QString name = seen_.takeLast();
    open(name);
}

// Computed when visible: stepping through a run changes the page often.
void DocumentationView::update() {
    is_stale_ = true;
    if (isInSight() || !isVisible()) render();
}

void DocumentationView::comeIntoSight() {
    if (is_stale_) render();
}

void DocumentationView::render() {
    is_stale_ = false;
    back_->setEnabled(!seen_.isEmpty());
    hint_->say(shown_.isEmpty() ? tr("Select an event or a node, or type the name of an operator above.") : QString());
    if (shown_.isEmpty()) return page_->clear();
    OperatorPage page;
    page.uses = findUses(shown_, page.use_count);
    const auto info = session::find_operator_info(shown_.toStdString());
    const int scrolled = page_->verticalScrollBar()->value();
    if (!info || (info->family.empty())) {
        page_->setHtml(languagePageHtml(shown_, page.uses, page.use_count));
        return;
    }
    page.info = *info;
    if (const EventId event = forwardEvent();
        event != 0 && fullName(bridge().recording()->event(event)) == text(info->name)) {
        page.recording = bridge().recording().get();
        page.event = event;
    }
    page_->setHtml(operatorPageHtml(page));
    page_->verticalScrollBar()->setValue(scrolled);
}

// --- where it is called

OperatorUse DocumentationView::describeUse(const Event& event) const {
    OperatorUse use;
    use.link = QStringLiteral("event:%1").arg(event.id);
    use.place = QStringLiteral("#%1  %2").arg(event.id).arg(scopeText(event.scope));
    use.is_current = event.id == bridge().currentEvent() || event.id == forwardEvent();
    QStringList parts;
    if (!event.outputs.empty()) parts += shapeText(bridge().recording()->value(event.outputs.front()).shape);
    parts += secondsText(event.duration);
    use.detail = parts.join(QStringLiteral("   "));
    return use;
}

// Events after a run, else the nodes of the graph.
std::vector<OperatorUse> DocumentationView::findUses(const QString& name, std::size_t& count) const {
    std::vector<OperatorUse> uses;
    count = 0;
    const std::string full = name.toStdString();
    const std::string bare = full.substr(0, full.find('.', full.find("::") == std::string::npos ? 0 : full.find("::")));
    if (const auto& recording = bridge().recording(); recording && bridge().eventCount() > 0) {
        for (EventId id = 1; id <= bridge().eventCount(); ++id) {
            const Event& event = recording->event(id);
            // Recordings of older versions have no overloads.
            if (event.op != bare || (!event.overload.empty() && full != bare && fullName(event) != name)) continue;
            if (++count <= kMaxUses) uses.push_back(describeUse(event));
        }
        return uses;
    }
    const auto& model = bridge().model();
    if (!model || !model->graph) return uses;
    for (const auto& node : model->graph->nodes) {
        if (node.kind != bare || ++count > kMaxUses) continue;
        OperatorUse use;
        use.link = QStringLiteral("node:%1").arg(node.id);
        use.place = scopeText(node.scope);
        if (node.source.line > 0)
            use.detail = QStringLiteral("%1:%2").arg(text(node.source.file).section(u'/', -1)).arg(node.source.line);
        use.is_current = node.id == bridge().currentNode();
        uses.push_back(use);
    }
    return uses;
}

void DocumentationView::onLink(const QUrl& url) {
    const QString whole = url.toString();
    const QString target = whole.section(u':', 1);
    if (whole.startsWith(QLatin1String("op:")))
        showOperator(target);
    else if (whole.startsWith(QLatin1String("event:")))
        bridge().setCurrentEvent(target.toUInt());
    else if (whole.startsWith(QLatin1String("node:")))
        bridge().setCurrentNode(target.toInt());
}

// --- the panel

void DocumentationView::find() {
    search_->setFocus();
    search_->selectAll();
}

void DocumentationView::fit() { page_->verticalScrollBar()->setValue(0); }

void DocumentationView::addActions(QMenu& menu) {
    menu.addAction(tr("Copy the page as text"), this,
                   [this] { QApplication::clipboard()->setText(page_->toPlainText()); });
    QAction* schema = menu.addAction(tr("Copy the schema"), this, [this] {
        if (const auto info = session::find_operator_info(shown_.toStdString()))
            QApplication::clipboard()->setText(text(info->schema));
    });
    schema->setEnabled(!shown_.isEmpty());
}

}  // namespace loupe::views
