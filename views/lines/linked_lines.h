// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Source, the graph before and after its passes, fused kernels and their assembly, as lines that know which lines of
// the source they came from: through the passes by their provenance, in kernels by the nodes that they were made of,
// in assembly by debug locations.

#include <QString>
#include <QStringList>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/model/pass_trace.h"
#include "core/study/fused_groups.h"

namespace loupe::views {

struct LinkedLine {
    QString text;
    int number = 0;         // in its own text, from 1; 0: a title
    std::vector<int> keys;  // lines of the source that it came from
};
using LinkedLines = std::vector<LinkedLine>;

// A function of a Python source, by its lines from 1.
struct SourceFunction {
    QString name;  // "ResNet.forward"
    int first = 0;
    int last = 0;
};
// By indentation; methods with their class.
std::vector<SourceFunction> functionsOf(const QString& source);

enum class KernelText { Expression, Ir };

class LineLinks {
  public:
    LineLinks() = default;
    LineLinks(const session::PassTrace& trace, const session::FusedGroups& groups);

    // Of a line of the source; -1: nothing came from it.
    int key(const std::string& file, int line) const;
    // Colours of neighbours differ: the number of the key's line among those of its file that something came from.
    int colour(int key) const;
    const session::SourcePlace& place(int key) const { return places_[static_cast<std::size_t>(key)]; }
    // The file that most lines came from; empty: none.
    std::string mainFile() const;

    // All the lines; the functions below leave out what a filter does.
    LinkedLines source(const std::string& file, const QString& text) const;
    LinkedLines before() const;
    LinkedLines after() const;
    // group: one of them; -1: all.
    LinkedLines groupGraph(int group) const;
    LinkedLines kernels(int group, KernelText text) const;
    LinkedLines assembly(int group) const;
    std::set<int> keysOfGroup(int group) const;

  private:
    LinkedLines graphLines(const session::GraphModel* graph, const std::vector<std::vector<int>>& from) const;
    template <typename Add>
    void forKernels(int group, LinkedLines& out, const Add& add) const;
    void number();

    session::PassTrace trace_;
    session::FusedGroups groups_;
    std::vector<session::SourcePlace> places_;
    std::map<std::pair<std::string, int>, int> keys_;
    std::vector<int> colours_;                               // by key
    std::vector<std::vector<std::vector<int>>> group_keys_;  // by group and line of its graph
};

// Those that came from one of these lines, with the titles above them.
LinkedLines onlyFrom(const LinkedLines& lines, const std::set<int>& keys);

}  // namespace loupe::views
