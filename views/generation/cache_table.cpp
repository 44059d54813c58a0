// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/generation/cache_table.h"

#include <QHeaderView>
#include <QLabel>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "views/common/bar_delegate.h"
#include "views/common/format.h"
#include "views/common/theme.h"

namespace loupe::views {

namespace {

constexpr int kValueRole = Qt::UserRole;
enum Column { Layer, Places, Bytes, Token, Weights };

}  // namespace

CacheTable::CacheTable(QWidget* parent) : QWidget(parent) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    summary_ = new QLabel(this);
    summary_->setObjectName(QStringLiteral("cacheSummary"));
    summary_->setWordWrap(true);
    summary_->setContentsMargins(8, 3, 8, 3);
    summary_->setTextFormat(Qt::PlainText);
    summary_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(summary_);
    list_ = new QTreeWidget(this);
    list_->setObjectName(QStringLiteral("cacheList"));
    list_->setAccessibleName(tr("Keys and values by layer"));
    list_->setHeaderLabels({tr("Layer"), tr("Shape"), tr("Cache"), tr("A token"), tr("Weights")});
    list_->headerItem()->setToolTip(Places, tr("Batch, heads, places, width"));
    list_->headerItem()->setToolTip(Token, tr("What one token more takes"));
    list_->headerItem()->setToolTip(Weights, tr("Parameters of the layer, to hold its cache against"));
    list_->setUniformRowHeights(true);
    list_->setIndentation(12);
    list_->setItemDelegate(new BarDelegate(list_));
    list_->header()->setStretchLastSection(true);
    const int widths[] = {80, 80, 64, 56, 60};
    for (int i = 0; i < 5; ++i) list_->setColumnWidth(i, widths[i]);
    connect(list_, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem* item) {
        if (item != nullptr && item->data(0, kValueRole).toUInt() != 0)
            emit valueWanted(item->data(0, kValueRole).toUInt());
    });
    column->addWidget(list_, 1);
}

QString CacheTable::summary() const { return summary_->text(); }

void CacheTable::setGeneration(const session::Generation* made) {
    const QSignalBlocker blocker(list_);
    list_->clear();
    if (made == nullptr) return summary_->clear();
    if (made->cache.empty())
        return summary_->setText(made->tokens.empty()
                                     ? QString()
                                     : tr("This model keeps no keys and values: each token is a run on all tokens."));
    double all = 0, encoded = 0, a_token = 0, weights = 0, most = 0;
    for (const session::CachedLayer& layer : made->cache) {
        (layer.is_of_encoder ? encoded : all) += static_cast<double>(layer.bytes);
        a_token += static_cast<double>(layer.bytes_a_token);
        weights += static_cast<double>(layer.weight_bytes);
        most = std::max(most, static_cast<double>(layer.bytes));
    }
    QString words = tr("%1 of keys and values: %2, %3 a token")
                        .arg(bytesText(all), counted(made->cached_tokens, "token"), bytesText(a_token));
    if (made->most_tokens > 0)
        words += tr("; %1 when the %2 tokens that it is made for are there")
                     .arg(bytesText(a_token * static_cast<double>(made->most_tokens)), countText(made->most_tokens));
    if (encoded > 0) words += tr(". %1 of what the encoder gave, made once").arg(bytesText(encoded));
    if (weights > 0) words += tr(". The layers' weights: %1").arg(bytesText(weights));
    summary_->setText(words + QLatin1Char('.'));
    for (const session::CachedLayer& layer : made->cache) {
        const QString name =
            layer.is_of_encoder ? tr("layer %1, encoder").arg(layer.layer) : tr("layer %1").arg(layer.layer);
        auto* item = new QTreeWidgetItem(
            list_, {name, text(layer.dtype), bytesText(static_cast<double>(layer.bytes)),
                    layer.is_of_encoder ? QString() : bytesText(static_cast<double>(layer.bytes_a_token)),
                    layer.weight_bytes > 0 ? bytesText(static_cast<double>(layer.weight_bytes)) : QString()});
        item->setData(Bytes, BarDelegate::kShareRole, most > 0 ? static_cast<double>(layer.bytes) / most : 0.0);
        item->setToolTip(Layer, layer.scope.empty() ? name : tr("%1: %2").arg(name, text(layer.scope)));
        const auto add = [&](const QString& what, const session::Shape& shape, session::ValueId value) {
            auto* part = new QTreeWidgetItem(item, {what, shapeText(shape)});
            part->setData(0, kValueRole, value);
            part->setToolTip(0, value != 0 ? tr("Shown in the Tensor panel")
                                           : tr("Not in the run that is shown: its token is another one"));
            if (value == 0) part->setData(0, Qt::ForegroundRole, Theme::themed(Theme::Colour::Faint));
        };
        add(tr("key"), layer.key, layer.key_id);
        add(tr("value"), layer.value, layer.value_id);
        for (QTreeWidgetItem* each : {item, item->child(0), item->child(1)})
            for (int column = Places; column <= Weights; ++column) {
                each->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
                each->setFont(column, Theme::instance().monoFont());
            }
    }
    constexpr int kOpened = 4;
    if (made->cache.size() <= kOpened) list_->expandAll();
}

}  // namespace loupe::views
