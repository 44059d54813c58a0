// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The source and the graph of a pinned run, to be held against those of the run that is shown.

#include <QString>

#include "views/common/comparison.h"

namespace loupe::views {

// The file of the reference that a file of the own model is held against: of the same name; else of the same name
// without folders; else the only one, or the most alike, of its kind (the user's or the archive's). Null: there is
// none.
const session::SourceFile* partnerOf(const session::SourceFile& own, const session::PinnedReference& reference);
// The same, but first the file that what ran in the own one is aligned with.
const session::SourceFile* partnerOf(const session::SourceFile& own, const Comparison& comparison,
                                     const session::Recording* recording);
// What lines of sources are told apart by: without the numbers that classes get when they are written or read,
// ___torch_mangle_62.
QString sourceLineKey(const QString& line);
// Those of graphs: also without the numbers of values, which all change behind an operator that only one has, and
// without the places behind them.
QString graphLineKey(const QString& line);
// Why it has none; empty: it has some.
QString whyNoSource(const session::PinnedReference& reference);
QString whyNoGraph(const session::PinnedReference& reference);

}  // namespace loupe::views
