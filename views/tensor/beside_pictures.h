// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A tensor beside its partner in a reference, and the difference of both: three pictures with one zoom and one cursor.

#include <QLabel>
#include <QWidget>
#include <array>

#include "core/study/reference.h"
#include "views/tensor/tensor_picture.h"

namespace loupe::views {

class BesidePictures : public QWidget {
    Q_OBJECT

  public:
    // own: the picture of the run that is shown; it becomes the first of the three.
    BesidePictures(TensorPicture* own, QWidget* parent);

    // The other two are hidden until there is a comparison.
    void show(const session::TensorComparison& found);
    void clear();
    bool isOn() const { return is_on_; }
    void setMode(TensorPicture::Mode mode);
    void setTile(int tile);
    // Of the reference as of this run; those of the difference are symmetric about 0.
    void setColours(ColourMap map, double low, double high);
    TensorPicture* reference() { return pictures_[1]; }
    TensorPicture* difference() { return pictures_[2]; }
    // Of the element at the position, in all three; empty when there is none.
    QString describe(QPointF at) const;

  private:
    std::array<TensorPicture*, 3> pictures_{};
    std::array<QLabel*, 3> titles_{};
    double widest_ = 0;  // of the difference
    bool is_on_ = false;
};

}  // namespace loupe::views
