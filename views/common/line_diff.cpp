// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/line_diff.h"

#include <QRegularExpression>
#include <QSet>
#include <algorithm>

#include "views/common/at.h"

namespace loupe::views {
namespace {

constexpr int kMostEdits = 2500;  // beyond, the middle of the texts is shown as replaced

// Pairs of lines that stay, in order.
std::vector<std::pair<int, int>> common(const QStringList& a, const QStringList& b) {
    const int n = static_cast<int>(a.size());
    const int m = static_cast<int>(b.size());
    const int most = std::min(n + m, kMostEdits);
    const int offset = most + 1;
    std::vector<int> furthest(at(2 * most + 3), 0);
    std::vector<std::vector<int>> trace;
    int found = -1;
    for (int d = 0; d <= most && found < 0; ++d) {
        trace.emplace_back(furthest.begin() + (offset - d - 1), furthest.begin() + (offset + d + 2));
        for (int k = -d; k <= d; k += 2) {
            const bool down = k == -d || (k != d && furthest[at(offset + k - 1)] < furthest[at(offset + k + 1)]);
            int x = down ? furthest[at(offset + k + 1)] : furthest[at(offset + k - 1)] + 1;
            int y = x - k;
            while (x < n && y < m && a[x] == b[y]) ++x, ++y;
            furthest[at(offset + k)] = x;
            if (x >= n && y >= m) {
                found = d;
                break;
            }
        }
    }
    std::vector<std::pair<int, int>> pairs;
    if (found < 0) return pairs;
    int x = n;
    int y = m;
    for (int d = found; d >= 0; --d) {
        // The state before step d: diagonal j of it is at j + d + 1.
        const auto& before = trace[at(d)];
        const int k = x - y;
        const auto reach = [&](int j) { return before[at(j + d + 1)]; };
        const bool down = k == -d || (k != d && reach(k - 1) < reach(k + 1));
        const int from = down ? k + 1 : k - 1;
        const int start_x = d == 0 ? 0 : reach(from);
        const int start_y = d == 0 ? 0 : start_x - from;
        const int middle_x = d == 0 ? 0 : (down ? start_x : start_x + 1);
        while (x > middle_x && y > middle_x - k) pairs.emplace_back(--x, --y);
        x = start_x;
        y = start_y;
    }
    std::reverse(pairs.begin(), pairs.end());
    return pairs;
}

// Values are renumbered; a line without numbers identifies its node.
bool isAlike(const QString& a, const QString& b) {
    static const QRegularExpression separators(QStringLiteral("[\\s,()\\[\\]]+"));
    const QStringList words = a.split(separators, Qt::SkipEmptyParts);
    const QStringList other_words = b.split(separators, Qt::SkipEmptyParts);
    const QSet<QString> others(other_words.begin(), other_words.end());
    const auto shared =
        std::count_if(words.begin(), words.end(), [&](const QString& word) { return others.contains(word); });
    return shared * 2 >= std::max(words.size(), other_words.size());
}

}  // namespace

std::vector<DiffRow> diffLines(const QStringList& left, const QStringList& right) {
    using Kind = DiffRow::Kind;
    // Strips the common prefix and suffix.
    const int n = static_cast<int>(left.size());
    const int m = static_cast<int>(right.size());
    int head = 0;
    while (head < n && head < m && left[head] == right[head]) ++head;
    int tail = 0;
    while (tail < n - head && tail < m - head && left[n - 1 - tail] == right[m - 1 - tail]) ++tail;
    auto pairs = common(left.mid(head, n - head - tail), right.mid(head, m - head - tail));
    std::vector<DiffRow> rows;
    for (int i = 0; i < head; ++i) rows.push_back({Kind::Same, i, i});
    int l = head;
    int r = head;
    const auto gap = [&](int until_left, int until_right) {
        while (l < until_left && r < until_right && isAlike(left[l], right[r]))
            rows.push_back({Kind::Changed, l++, r++});
        while (l < until_left) rows.push_back({Kind::Removed, l++, -1});
        while (r < until_right) rows.push_back({Kind::Added, -1, r++});
    };
    for (const auto& [x, y] : pairs) {
        gap(head + x, head + y);
        rows.push_back({Kind::Same, l++, r++});
    }
    gap(n - tail, m - tail);
    for (int i = tail; i > 0; --i) rows.push_back({Kind::Same, n - i, m - i});
    return rows;
}

}  // namespace loupe::views
