// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Inputs that a person made in the window, as NumPy files: so they are there again tomorrow.

#include <QString>
#include <cstdint>
#include <vector>

#include "core/model/model_info.h"

namespace loupe::views {

// NumPy's format 1.0, little endian. Empty, or why it could not be written.
QString writeArray(const QString& file, const session::Shape& shape, const std::vector<float>& elements);
QString writeArray(const QString& file, const session::Shape& shape, const std::vector<std::int64_t>& elements);

// By its name.
bool isImageFile(const QString& file);

// The file of the drawing or the text for an argument of a model; creates the folder.
QString ownInputFile(const QString& model, const QString& argument);

}  // namespace loupe::views
