// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tensor/tensor_picture.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "views/common/at.h"
#include "views/common/format.h"
#include "views/common/theme.h"
#include "views/tensor/tensor_grid_model.h"

namespace loupe::views {
namespace {

constexpr double kLabel = 13;  // above a tile
constexpr double kGap = 6;
constexpr double kMargin = 8;
constexpr double kMostPixels = 36;  // of one element, unless zoomed
constexpr QRgb kNan = 0xffff2fd0;
constexpr QRgb kInf = 0xffff9a1f;

// The tensor's dimension of this one of the slice; -1: none.
int dimensionShownAs(const session::TensorSlice& slice, int shown) {
    for (std::size_t d = 0; d < slice.axes.size() && shown >= 0; ++d) {
        if (slice.axes[d].shown == shown) return static_cast<int>(d);
    }
    return slice.axes.empty() ? shown : -1;
}

}  // namespace

TensorPicture::TensorPicture(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setMinimumSize(80, 60);
    setAccessibleName(tr("Picture of the tensor"));
    connect(&Theme::instance(), &Theme::changed, this, qOverload<>(&QWidget::update));
}

void TensorPicture::setSlice(const session::TensorSlice& slice) {
    const bool same_form =
        slice.rows == slice_.rows && slice.columns == slice_.columns && slice.data.size() == slice_.data.size();
    slice_ = slice;
    names_.clear();
    tile_ = std::clamp(tile_, 0, std::max(0, static_cast<int>(slice_.data.size()) - 1));
    if (!same_form) fit();
    rebuild();
}

void TensorPicture::setNames(std::vector<QStringList> names) {
    names_ = std::move(names);
    update();
}

void TensorPicture::setMode(Mode mode) {
    if (mode_ != mode) fit();
    mode_ = mode;
    rebuild();
}

void TensorPicture::setColours(ColourMap map, double low, double high) {
    map_ = map;
    low_ = low;
    high_ = high;
    rebuild();
}

void TensorPicture::setTile(int tile) {
    tile_ = std::clamp(tile, 0, std::max(0, static_cast<int>(slice_.data.size()) - 1));
    rebuild();
}

void TensorPicture::setOverlay(bool nan_and_inf) {
    overlay_ = nan_and_inf;
    rebuild();
}

void TensorPicture::fit() {
    zoom_ = 1;
    pan_ = {};
    emit viewChanged(zoom_, pan_);
    update();
}

QImage TensorPicture::imageOf(const session::TensorTile& tile) const {
    QImage image(tile.columns, tile.rows, QImage::Format_RGB32);
    const double scale = high_ > low_ ? 1 / (high_ - low_) : 0;
    for (int row = 0; row < tile.rows; ++row) {
        auto* line = reinterpret_cast<QRgb*>(image.scanLine(row));
        for (int column = 0; column < tile.columns; ++column) {
            const double value = tile.elements[at(row) * at(tile.columns) + at(column)];
            if (overlay_ && std::isnan(value))
                line[column] = kNan;
            else if (overlay_ && std::isinf(value))
                line[column] = kInf;
            else
                line[column] = colourAt(map_, scale > 0 ? (value - low_) * scale : 0.5);
        }
    }
    return image;
}

QImage TensorPicture::imageOfChannels() const {
    const auto& data = slice_.data;
    if (data.size() < 3) return imageOf(data.front());
    QImage image(data[0].columns, data[0].rows, QImage::Format_RGB32);
    const double scale = high_ > low_ ? 255 / (high_ - low_) : 0;
    for (int row = 0; row < image.height(); ++row) {
        auto* line = reinterpret_cast<QRgb*>(image.scanLine(row));
        for (int column = 0; column < image.width(); ++column) {
            int channel[3];
            for (std::size_t c = 0; c < 3; ++c) {
                const double value = data[c].elements[at(row) * at(data[c].columns) + at(column)];
                channel[c] =
                    std::isfinite(value) ? static_cast<int>(std::clamp((value - low_) * scale, 0.0, 255.0)) : 255;
            }
            line[column] = qRgb(channel[0], channel[1], channel[2]);
        }
    }
    return image;
}

void TensorPicture::rebuild() {
    images_.clear();
    const auto hasElements = [](const session::TensorTile& tile) { return tile.rows > 0 && tile.columns > 0; };
    if (mode_ == Mode::HeatMap && !slice_.data.empty() && hasElements(slice_.data[at(tile_)]))
        images_.push_back(imageOf(slice_.data[at(tile_)]));
    if (std::ranges::all_of(slice_.data, hasElements) && !slice_.data.empty()) {
        if (mode_ == Mode::Image) images_.push_back(imageOfChannels());
        if (mode_ == Mode::Tiles) {
            for (const session::TensorTile& tile : slice_.data) images_.push_back(imageOf(tile));
        }
    }
    update();
}

std::vector<TensorPicture::Cell> TensorPicture::cells() const {
    std::vector<Cell> all;
    if (images_.empty()) return all;
    const double rows = images_.front().height();
    const double columns = images_.front().width();
    const double names = namesWidth();
    const double wide = std::max(10.0, width() - 2 * kMargin - names);
    const double high = std::max(10.0, height() - 2 * kMargin);
    const int count = static_cast<int>(images_.size());
    // As many columns of tiles as make each tile largest.
    int best = 1;
    double size = 0;
    const bool labelled = mode_ == Mode::Tiles;
    for (int across = 1; across <= count; ++across) {
        const int down = (count + across - 1) / across;
        const double fit = std::min((wide - kGap * (across - 1)) / across / columns,
                                    (high - (kGap + (labelled ? kLabel : 0)) * down) / down / rows);
        if (fit > size) {
            size = fit;
            best = across;
        }
    }
    const double pixel = std::clamp(size, 0.02, kMostPixels) * zoom_;
    const double stride_x = columns * pixel + kGap;
    const double stride_y = rows * pixel + kGap + (labelled ? kLabel : 0);
    const int down = (count + best - 1) / best;
    const QPointF corner(names + std::max(kMargin, (width() - names - stride_x * best + kGap) / 2),
                         std::max(kMargin, (height() - stride_y * down + kGap) / 2));
    for (int i = 0; i < count; ++i) {
        const QPointF place =
            corner + pan_ + QPointF(stride_x * (i % best), stride_y * (i / best) + (labelled ? kLabel : 0));
        all.push_back({QRectF(place, QSizeF(columns * pixel, rows * pixel)), mode_ == Mode::HeatMap ? tile_ : i});
    }
    return all;
}

// --- what rows stand for

QString TensorPicture::rowName(int row, int rows) const {
    const int shown = static_cast<int>(slice_.sliced_shape.size()) - 2;
    for (std::size_t axis = 0; axis < slice_.axes.size() && axis < names_.size(); ++axis) {
        if (slice_.axes[axis].shown != shown || shown < 0) continue;
        return names_[axis].value(slice_.axes[axis].start + slice_.axes[axis].step * unthinned(row, rows, slice_.rows));
    }
    return {};
}

double TensorPicture::namesWidth() const {
    if (mode_ != Mode::HeatMap || names_.empty() || slice_.data.empty()) return 0;
    constexpr int kWidest = 100;
    constexpr int kMostMeasured = 400;
    const QFontMetrics metrics(Theme::instance().monoFont());
    const int rows = slice_.data[at(std::max(0, tile_))].rows;
    int wide = 0;
    for (int row = 0; row < std::min(rows, kMostMeasured); ++row)
        wide = std::max(wide, metrics.horizontalAdvance(rowName(row, rows)));
    return wide == 0 ? 0 : std::min(wide, kWidest) + 6;
}

// At the left of the picture; where rows are lower than a line, one name for several.
void TensorPicture::paintNames(QPainter& painter, const Cell& cell) const {
    const int rows = slice_.data[at(cell.tile)].rows;
    const double wide = namesWidth();
    if (wide <= 0 || rows == 0) return;
    const QFontMetrics metrics(Theme::instance().monoFont());
    const double pixel = cell.rect.height() / rows;
    const int every = std::max(1, static_cast<int>(std::ceil(metrics.height() * 0.9 / std::max(pixel, 0.01))));
    painter.setFont(Theme::instance().monoFont());
    painter.setPen(Theme::instance().colour(Theme::Colour::Faint));
    for (int row = 0; row < rows; row += every) {
        const QRectF place(cell.rect.left() - wide, cell.rect.top() + row * pixel + pixel / 2 - metrics.height() / 2.0,
                           wide - 5, metrics.height());
        painter.drawText(place, Qt::AlignRight | Qt::AlignVCenter,
                         metrics.elidedText(rowName(row, rows), Qt::ElideRight, static_cast<int>(wide) - 5));
    }
}

void TensorPicture::paintTile(QPainter& painter, const Cell& cell, std::size_t index) {
    const QImage& image = images_[index];
    if (!cell.rect.intersects(rect())) return;
    painter.setRenderHint(QPainter::SmoothPixmapTransform, cell.rect.width() < image.width());
    painter.drawImage(cell.rect, image);
    painter.setPen(Theme::instance().colour(Theme::Colour::Border));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(cell.rect.adjusted(-0.5, -0.5, 0.5, 0.5));
    if (mode_ == Mode::HeatMap) paintNames(painter, cell);
    if (mode_ == Mode::Tiles && cell.rect.width() > 18) {
        painter.setPen(Theme::instance().colour(Theme::Colour::Faint));
        painter.drawText(QRectF(cell.rect.left(), cell.rect.top() - kLabel, cell.rect.width(), kLabel),
                         Qt::AlignLeft | Qt::AlignVCenter, text(slice_.data[at(cell.tile)].label));
    }
    const double pixel = cell.rect.width() / image.width();
    if (pixel < 34 || mode_ == Mode::Image) return;
    // Large enough to be read: the numbers themselves.
    const session::TensorTile& tile = slice_.data[at(cell.tile)];
    QFont font = Theme::instance().monoFont();
    font.setPixelSize(std::min(11, static_cast<int>(pixel / 4.2)));
    painter.setFont(font);
    for (int row = 0; row < tile.rows; ++row) {
        for (int column = 0; column < tile.columns; ++column) {
            const QRectF place(cell.rect.left() + column * pixel, cell.rect.top() + row * pixel, pixel, pixel);
            if (!place.intersects(rect())) continue;
            painter.setPen(readableOn(image.pixel(column, row)));
            painter.drawText(place, Qt::AlignCenter,
                             QString::number(tile.elements[at(row) * at(tile.columns) + at(column)], 'g', 3));
        }
    }
}

double TensorPicture::lineSpan() const { return high_ > low_ ? high_ - low_ : 1; }

// Room for the longest number at the axis, its sign included.
double TensorPicture::lineNumbersWidth() const {
    const QFontMetrics metrics(Theme::instance().monoFont(), this);
    int widest = 0;
    for (int i = 0; i <= 4; ++i) {
        widest = std::max(widest, metrics.horizontalAdvance(numberText(low_ + lineSpan() * i / 4)));
    }
    return widest + 4;
}

QRectF TensorPicture::lineArea() const { return QRectF(rect()).adjusted(lineNumbersWidth() + 6, 12, -12, -22); }

void TensorPicture::paintLine(QPainter& painter) {
    const session::TensorTile& tile = slice_.data[at(tile_)];
    Theme& theme = Theme::instance();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(theme.monoFont());
    const double span = lineSpan();
    const double numbers = lineNumbersWidth();
    const QRectF area = lineArea();
    for (int i = 0; i <= 4; ++i) {
        const double y = area.bottom() - area.height() * i / 4;
        painter.setPen(theme.colour(Theme::Colour::Grid));
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
        painter.setPen(theme.colour(Theme::Colour::Faint));
        painter.drawText(QRectF(0, y - 8, numbers, 16), Qt::AlignRight | Qt::AlignVCenter,
                         numberText(low_ + span * i / 4));
    }
    // A vector is one line; of a matrix each row is one.
    const int rows = std::min(tile.rows, 12);
    for (int row = 0; row < rows; ++row) {
        painter.setPen(QPen(theme.series(row), 1.3));
        QPolygonF line;
        for (int column = 0; column < tile.columns; ++column) {
            const double value = tile.elements[at(row) * at(tile.columns) + at(column)];
            if (!std::isfinite(value)) continue;
            line << QPointF(area.left() + area.width() * column / std::max(1, tile.columns - 1),
                            area.bottom() - area.height() * (value - low_) / span);
        }
        if (tile.columns <= 64) {
            for (const QPointF& point : line) painter.drawEllipse(point, 1.6, 1.6);
        }
        painter.drawPolyline(line);
    }
    painter.setPen(theme.colour(Theme::Colour::Faint));
    const QRectF below(area.left(), area.bottom() + 4, area.width(), 16);
    painter.drawText(below, Qt::AlignLeft, QStringLiteral("0"));
    painter.drawText(below, Qt::AlignRight, QString::number(slice_.columns - 1));
    if (tile.rows > rows)
        painter.drawText(below, Qt::AlignCenter, tr("first %1 of %2 rows").arg(rows).arg(slice_.rows));
}

void TensorPicture::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), Theme::instance().colour(Theme::Colour::Panel));
    if (slice_.data.empty()) return;
    if (mode_ == Mode::Line) {
        if (!slice_.data[at(tile_)].elements.empty()) paintLine(painter);
        return;
    }
    QFont font = Theme::instance().monoFont();
    font.setPixelSize(10);
    painter.setFont(font);
    const auto all = cells();
    for (std::size_t i = 0; i < all.size(); ++i) {
        painter.setFont(font);
        paintTile(painter, all[i], i);
    }
    if (!cursor_) return;
    painter.setPen(QPen(Theme::instance().colour(Theme::Colour::Accent), 1, Qt::DotLine));
    painter.drawLine(QPointF(0, cursor_->y()), QPointF(width(), cursor_->y()));
    painter.drawLine(QPointF(cursor_->x(), 0), QPointF(cursor_->x(), height()));
}

void TensorPicture::setView(double zoom, QPointF pan) {
    zoom_ = zoom;
    pan_ = pan;
    update();
}

void TensorPicture::setCursorAt(std::optional<QPointF> point) {
    cursor_ = point;
    update();
}

std::optional<TensorPicture::Place> TensorPicture::placeAt(QPointF point) const {
    if (slice_.data.empty()) return std::nullopt;
    if (mode_ == Mode::Line) {
        const QRectF area = lineArea();
        const session::TensorTile& tile = slice_.data[at(tile_)];
        if (!area.contains(point) || tile.columns == 0) return std::nullopt;
        const int column = static_cast<int>(std::lround((point.x() - area.left()) / area.width() * (tile.columns - 1)));
        return Place{slice_.own_index(at(tile_), 0, unthinned(column, tile.columns, slice_.columns)),
                     -1,
                     {tile.elements[at(column)]}};
    }
    for (const Cell& cell : cells()) {
        if (!cell.rect.contains(point)) continue;
        const session::TensorTile& tile = slice_.data[at(cell.tile)];
        const int row =
            std::min(tile.rows - 1, static_cast<int>((point.y() - cell.rect.top()) / cell.rect.height() * tile.rows));
        const int column = std::min(
            tile.columns - 1, static_cast<int>((point.x() - cell.rect.left()) / cell.rect.width() * tile.columns));
        Place place;
        const std::size_t channels = mode_ == Mode::Image ? std::min<std::size_t>(3, slice_.data.size()) : 1;
        for (std::size_t c = 0; c < channels; ++c) {
            const session::TensorTile& source = mode_ == Mode::Image ? slice_.data[c] : tile;
            place.values.push_back(source.elements[at(row) * at(tile.columns) + at(column)]);
        }
        place.index = slice_.own_index(mode_ == Mode::Image ? 0 : at(cell.tile), unthinned(row, tile.rows, slice_.rows),
                                       unthinned(column, tile.columns, slice_.columns));
        if (channels > 1)
            place.channel_dimension = dimensionShownAs(slice_, static_cast<int>(slice_.sliced_shape.size()) - 3);
        return place;
    }
    return std::nullopt;
}

QString TensorPicture::describe(QPointF point) const {
    const auto place = placeAt(point);
    if (!place) return {};
    QStringList values;
    for (const double value : place->values)
        values += mode_ == Mode::Line ? numberText(value) : QString::number(value, 'g', 7);
    return QStringLiteral("%1 = %2%3")
        .arg(indexText(place->index, place->channel_dimension), values.join(QStringLiteral(", ")),
             placesNamed(names_, place->index));
}

void TensorPicture::contextMenuEvent(QContextMenuEvent* event) {
    if (const auto place = placeAt(event->pos())) emit menuWanted(place->index, event->globalPos());
}

QImage TensorPicture::picture() const {
    if (mode_ == Mode::HeatMap || mode_ == Mode::Image) return images_.empty() ? QImage() : images_.front();
    return const_cast<TensorPicture*>(this)->grab().toImage();
}

void TensorPicture::mousePressEvent(QMouseEvent* event) { drag_from_ = event->position() - pan_; }

void TensorPicture::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons() & (Qt::LeftButton | Qt::MiddleButton) && mode_ != Mode::Line) {
        pan_ = event->position() - drag_from_;
        emit viewChanged(zoom_, pan_);
        update();
    }
    emit hovered(describe(event->position()));
    emit pointed(event->position());
}

void TensorPicture::wheelEvent(QWheelEvent* event) {
    if (mode_ == Mode::Line) return;
    const auto before = cells();
    if (before.empty()) return;
    const QPointF mouse = event->position();
    const QPointF inside = (mouse - before.front().rect.topLeft()) / before.front().rect.width();
    zoom_ = std::clamp(zoom_ * std::pow(1.0015, event->angleDelta().y()), 0.2, 200.0);
    const auto after = cells();
    pan_ += mouse - (after.front().rect.topLeft() + inside * after.front().rect.width());
    emit viewChanged(zoom_, pan_);
    update();
    event->accept();
}

void TensorPicture::leaveEvent(QEvent*) {
    emit hovered({});
    emit pointed(std::nullopt);
}
void TensorPicture::resizeEvent(QResizeEvent*) { update(); }

}  // namespace loupe::views
