// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/reference_texts.h"

#include <QRegularExpression>
#include <QSet>

#include "core/base/library_path.h"
#include "views/common/diff_pair.h"
#include "views/common/format.h"

namespace loupe::views {
namespace {

bool areOfOneKind(const session::SourceFile& a, const session::SourceFile& b) {
    return a.is_original == b.is_original && is_library_path(a.name) == is_library_path(b.name);
}

std::string_view fileName(const session::SourceFile& source) {
    const std::string_view name = source.name;
    const auto slash = name.rfind('/');
    return slash == std::string_view::npos ? name : name.substr(slash + 1);
}

qsizetype sharedLines(const QSet<QString>& lines, const session::SourceFile& other) {
    const QStringList theirs = linesOf(text(other.text));
    return std::count_if(theirs.begin(), theirs.end(),
                         [&](const QString& line) { return !line.trimmed().isEmpty() && lines.contains(line); });
}

QString nameOf(const session::PinnedReference& reference) { return text(reference.label); }

}  // namespace

const session::SourceFile* partnerOf(const session::SourceFile& own, const session::PinnedReference& reference) {
    if (!reference.model) return nullptr;
    const auto& files = reference.model->sources;
    for (const auto& each : files) {
        if (each.name == own.name && each.is_original == own.is_original) return &each;
    }
    for (const auto& each : files) {
        if (fileName(each) == fileName(own) && areOfOneKind(each, own)) return &each;
    }
    // A library's file is held against the same file only.
    if (own.is_original && is_library_path(own.name)) return nullptr;
    const QStringList lines = linesOf(text(own.text));
    const QSet<QString> mine(lines.begin(), lines.end());
    const session::SourceFile* best = nullptr;
    qsizetype most = -1;
    for (const auto& each : files) {
        if (!areOfOneKind(each, own)) continue;
        const qsizetype shared = sharedLines(mine, each);
        if (shared > most) best = &each;
        most = std::max(most, shared);
    }
    return best;
}

const session::SourceFile* partnerOf(const session::SourceFile& own, const Comparison& comparison,
                                     const session::Recording* recording) {
    const session::PinnedReference* reference = comparison.current();
    if (reference == nullptr) return nullptr;
    const std::size_t events = recording != nullptr && reference->model ? recording->event_count() : 0;
    for (session::EventId id = 1; id <= events; ++id) {
        if (recording->event(id).source_file != own.name) continue;
        const session::ReferenceEvent* partner = comparison.partnerOf(id);
        if (partner == nullptr || partner->source.file.empty()) continue;
        for (const auto& each : reference->model->sources) {
            if (each.name == partner->source.file && areOfOneKind(each, own)) return &each;
        }
    }
    return partnerOf(own, *reference);
}

QString sourceLineKey(const QString& line) {
    static const QRegularExpression mangled(QStringLiteral("\\.?___torch_mangle_\\d+"));
    QString key = line;
    if (key.contains(QLatin1String("___torch_mangle_"))) key.remove(mangled);
    return key;
}

QString graphLineKey(const QString& line) {
    static const QRegularExpression place(QStringLiteral("\\s+# \\S+:\\d+:\\d+$"));
    static const QRegularExpression number(QStringLiteral("%(?:\\d+|(\\w+)\\.\\d+)"));
    QString key = sourceLineKey(line);
    if (key.contains(QLatin1String(" # "))) key.remove(place);
    return key.replace(number, QStringLiteral("%\\1"));
}

QString whyNoSource(const session::PinnedReference& reference) {
    if (reference.is_arrays) return Comparison::tr("%1 holds arrays: it has no source").arg(nameOf(reference));
    if (!reference.model) return Comparison::tr("%1 was recorded without its model: no source").arg(nameOf(reference));
    return reference.model->sources.empty() ? Comparison::tr("%1 has no source in its file").arg(nameOf(reference))
                                            : QString();
}

QString whyNoGraph(const session::PinnedReference& reference) {
    if (reference.is_arrays) return Comparison::tr("%1 holds arrays: it has no graph").arg(nameOf(reference));
    if (!reference.model || !reference.model->graph || reference.model->graph->text.empty())
        return Comparison::tr("%1 ran without a graph").arg(nameOf(reference));
    return {};
}

}  // namespace loupe::views
