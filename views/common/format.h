// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Numbers, shapes and names as all panels write them.

#include <QString>
#include <concepts>
#include <cstdint>
#include <string_view>

#include "core/record/recording.h"
#include "views/common/said_text.h"

namespace loupe::views {

QString text(std::string_view utf8);
// A sentence of the engine in the window's language. No other type becomes one unasked.
template <std::same_as<Said> Sentence>
QString text(const Sentence& said) {
    return saidText(said);
}

QString bytesText(double bytes);        // "47.0 MiB"
QString secondsText(double seconds);    // "1.25 ms"
QString countText(std::int64_t count);  // "11,689,512"
// "1 event", "2,000 events" in the window's language, in the nominative; many: where the English plural is not the word
// with an s. The words stand in the list of format.cpp.
QString counted(std::int64_t count, const char* one, const char* many = nullptr);
QString numberText(double value);                // four significant digits: "0.1234", "1.234e-08", "nan"
QString shapeText(const session::Shape& shape);  // "1x64x56x56"
// Empty when every element is finite, else "of the finite 43 %" or "no finite values".
QString finiteText(std::int64_t count, std::int64_t notFinite);
QString finiteText(const session::Statistics& statistics);
QString finiteTip(const session::Statistics& statistics);  // with the counts of NaN and Inf
// The part of the elements that is NaN or Inf, 0 to 1.
double notFiniteShare(const session::Statistics& statistics);
// "[0, 3, 1]", with whole >= 0 "[0, :, 1]"; empty of a scalar.
QString indexText(const session::Shape& index, int whole = -1);
// Without the namespace: "conv2d" of "aten::conv2d".
QString shortOpName(std::string_view op);
// What an edited source changed in a run, from its first event on, with the line.
QString editText(const session::EditStart& edit);
QString scopeText(std::string_view scope);  // "(model)" for the root

}  // namespace loupe::views
