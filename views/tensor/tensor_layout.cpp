// SPDX-License-Identifier: GPL-3.0-or-later
// What the Tensor panel is made of, and how it is divided.
#include <qcustomplot.h>

#include <QSplitter>
#include <QVBoxLayout>

#include "views/common/elided_fields.h"
#include "views/common/elided_label.h"
#include "views/common/panel_bar.h"
#include "views/common/theme.h"
#include "views/tensor/beside_pictures.h"
#include "views/tensor/tensor_view.h"

namespace loupe::views {

// Above the elements.
void TensorView::makeNotes(QWidget* left, QLayout* column) {
    error_ = new QLabel(left);
    error_->setProperty("bad", true);
    error_->setWordWrap(true);
    error_->setMargin(6);
    error_->hide();
    column->addWidget(error_);
    beside_note_ = faintLine(left);
    beside_note_->setObjectName(QStringLiteral("besideNote"));
    beside_note_->setContentsMargins(8, 1, 8, 2);
    beside_note_->hide();
    column->addWidget(beside_note_);
}

void TensorView::buildControls(QLayout* layout) {
    auto* bar = new QWidget(this);
    auto* rows = new QVBoxLayout(bar);
    rows->setContentsMargins(6, 4, 6, 4);
    rows->setSpacing(4);
    rows->addLayout(buildChoice(bar));
    rows->addLayout(buildDisplay(bar));
    layout->addWidget(bar);
}

// Which tensor, and which of its elements.
QLayout* TensorView::buildChoice(QWidget* bar) {
    auto* row = new PanelBar(bar, {}, 5);
    choice_ = new ElidedComboBox(bar);
    choice_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    choice_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    choice_->setMinimumContentsLength(10);
    choice_->setToolTip(tr("Which tensor of the current event"));
    choice_->setAccessibleName(tr("Tensor to show"));
    choice_->view()->setTextElideMode(Qt::ElideMiddle);
    connect(choice_, &QComboBox::activated, this, &TensorView::choose);
    row->addWidget(choice_);
    lock_ = row->toggle(tr("Lock"), tr("Keep showing this tensor when another event becomes current"));
    connect(lock_, &QToolButton::toggled, this, [this](bool on) {
        if (!on) takeCurrent();
    });
    slice_edit_ = new QLineEdit(bar);
    slice_edit_->setPlaceholderText(tr("slice: [0, :, 3]"));
    slice_edit_->setFont(Theme::instance().monoFont());
    slice_edit_->setProperty("kept", true);
    slice_edit_->setToolTip(
        tr("Python's slicing of the tensor; the last two dimensions that stay are rows and columns (Ctrl+F)"));
    slice_edit_->setAccessibleName(tr("Slice"));
    slice_edit_->setMaximumWidth(150);
    slice_edit_->setMinimumWidth(70);
    connect(slice_edit_, &QLineEdit::editingFinished, this, &TensorView::ask);
    row->addWidget(slice_edit_);
    permute_ = new QLineEdit(bar);
    permute_->setPlaceholderText(tr("permute: 1, 0"));
    permute_->setFont(Theme::instance().monoFont());
    permute_->setToolTip(tr("Order of the dimensions that slicing leaves"));
    permute_->setAccessibleName(tr("Permute"));
    permute_->setMaximumWidth(120);
    permute_->setMinimumWidth(50);
    connect(permute_, &QLineEdit::editingFinished, this, &TensorView::ask);
    row->addWidget(permute_);
    return row;
}

// How the elements are shown.
QLayout* TensorView::buildDisplay(QWidget* bar) {
    auto* row = new PanelBar(bar, {}, 5);
    display_ = row->choice(tr("Display"), tr("How the elements are shown"));
    display_->addItems({tr("Heat map"), tr("Tiles"), tr("Image"), tr("Line"), tr("Numbers")});
    connect(display_, &QComboBox::activated, this, [this] {
        user_display_ = true;
        applyDisplay();
    });
    tile_ = new ElidedComboBox(bar);
    tile_->setObjectName(QStringLiteral("tile"));
    tile_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    tile_->setMinimumContentsLength(6);
    tile_->setToolTip(tr("Which of the leading dimensions"));
    tile_->setAccessibleName(tr("Tile"));
    connect(tile_, &QComboBox::currentIndexChanged, this, [this](int tile) {
        beside_->setTile(tile);
        grid_->setTile(slice_, tile);
        applyDisplay();
    });
    row->addWidget(tile_);
    map_ = row->choice(tr("Colour map"), tr("Colour map"));
    for (int i = 0; i < kColourMaps; ++i) map_->addItem(colourMapName(static_cast<ColourMap>(i)));
    connect(map_, &QComboBox::activated, this, &TensorView::applyColours);
    low_ = buildLimit(bar, tr("Lowest value of the colours"));
    high_ = buildLimit(bar, tr("Highest value of the colours"));
    row->addWidget(low_);
    row->addWidget(high_);
    automatic_ = row->toggle(tr("Auto"), tr("Range from the least to the greatest element shown"));
    automatic_->setChecked(true);
    connect(automatic_, &QToolButton::toggled, this, &TensorView::applyColours);
    QToolButton* overlay = row->toggle(tr("NaN/Inf"), tr("Mark NaN in magenta and Inf in orange"));
    overlay->setChecked(true);
    connect(overlay, &QToolButton::toggled, this, [this](bool on) { picture_->setOverlay(on); });
    title_ = new ElidedLabel(bar);
    title_->setObjectName(QStringLiteral("tensorTitle"));
    title_->setFont(Theme::instance().monoFont());
    title_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    title_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    title_->setMinimumWidth(90);
    title_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    row->addWidget(title_);
    return row;
}

QDoubleSpinBox* TensorView::buildLimit(QWidget* bar, const QString& tip) {
    auto* spin = new QDoubleSpinBox(bar);
    spin->setRange(-1e30, 1e30);
    spin->setDecimals(4);
    spin->setButtonSymbols(QAbstractSpinBox::NoButtons);
    spin->setToolTip(tip);
    spin->setAccessibleName(tip);
    spin->setMaximumWidth(84);
    spin->setMinimumWidth(40);
    spin->setFont(Theme::instance().monoFont());
    connect(spin, &QDoubleSpinBox::editingFinished, this, [this] {
        if (!low_->hasFocus() && !high_->hasFocus()) return;
        automatic_->setChecked(false);
        applyColours();
    });
    return spin;
}

QWidget* TensorView::buildSide() {
    auto* side = new QWidget(this);
    side->setMinimumSize(1, 1);  // a low panel has the elements before the numbers about them
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    histogram_ = new QCustomPlot(side);
    histogram_->setFixedHeight(90);
    histogram_->setAccessibleName(tr("Histogram of the elements"));
    bars_ = new QCPBars(histogram_->xAxis, histogram_->yAxis);
    bars_->setPen(Qt::NoPen);
    not_finite_ = new QCPItemRect(histogram_);
    for (QCPItemPosition* corner : {not_finite_->topLeft, not_finite_->bottomRight})
        corner->setType(QCPItemPosition::ptAxisRectRatio);
    not_finite_label_ = new QCPItemText(histogram_);
    not_finite_label_->position->setType(QCPItemPosition::ptAxisRectRatio);
    not_finite_label_->setPadding(QMargins(4, 1, 4, 1));
    for (QCPAbstractItem* item :
         {static_cast<QCPAbstractItem*>(not_finite_), static_cast<QCPAbstractItem*>(not_finite_label_)})
        item->setVisible(false);
    histogram_->yAxis->setVisible(false);
    histogram_->axisRect()->setAutoMargins(QCP::msBottom);
    histogram_->axisRect()->setMargins(QMargins(10, 6, 10, 4));
    column->addWidget(histogram_);
    facts_ = new QTextBrowser(side);
    facts_->setOpenLinks(false);
    connect(facts_, &QTextBrowser::anchorClicked, this, [this](const QUrl& link) {
        this->bridge().setCurrentEvent(link.toString().section(QLatin1Char(':'), 1).toUInt());
    });
    facts_->setAccessibleName(tr("Statistics and storage"));
    details_ = new QSplitter(Qt::Vertical, side);
    details_->addWidget(facts_);
    auto* past = new QWidget(details_);
    auto* rows = new QVBoxLayout(past);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(0);
    auto* heading = new QLabel(tr("History of the storage"), past);
    heading->setToolTip(tr("Events that wrote (W) and read (R) the bytes of this tensor"));
    heading->setProperty("faint", true);
    heading->setContentsMargins(8, 3, 8, 3);
    rows->addWidget(heading);
    history_ = new QListWidget(past);
    history_->setAccessibleName(tr("Events that read or wrote this storage"));
    history_->setFont(Theme::instance().monoFont());
    connect(history_, &QListWidget::itemActivated, this,
            [this](QListWidgetItem* item) { bridge().setCurrentEvent(item->data(Qt::UserRole).toUInt()); });
    connect(history_, &QListWidget::itemClicked, this,
            [this](QListWidgetItem* item) { bridge().setCurrentEvent(item->data(Qt::UserRole).toUInt()); });
    rows->addWidget(history_, 1);
    details_->addWidget(past);
    details_->setStretchFactor(0, 3);
    details_->setStretchFactor(1, 1);
    column->addWidget(details_, 1);
    return side;
}

void TensorView::resizeEvent(QResizeEvent* event) {
    View::resizeEvent(event);
    divide();
}

// In a narrow panel the numbers are below the picture, statistics beside the history.
void TensorView::divide() {
    const auto wanted = width() < 640 ? Qt::Vertical : Qt::Horizontal;
    if (splitter_->orientation() != wanted) user_split_ = false;
    splitter_->setOrientation(wanted);
    details_->setOrientation(wanted == Qt::Vertical ? Qt::Horizontal : Qt::Vertical);
    if (user_split_) return;
    const int all = wanted == Qt::Vertical ? splitter_->height() : splitter_->width();
    constexpr int kLeastBoth = 230;
    const int side = wanted == Qt::Horizontal ? 250 : all < kLeastBoth ? 0 : std::clamp(all / 2, 150, 300);
    splitter_->setSizes({std::max(80, all - side), side});
}

}  // namespace loupe::views
