// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/fuse/fused_parts.h"

#include <algorithm>
#include <map>

namespace loupe::runtime {
namespace {

Dims without_leading_ones(const Dims& sizes) {
    const auto first = std::find_if(sizes.begin(), sizes.end(), [](std::int64_t size) { return size != 1; });
    return {first, sizes.end()};
}

Dims with_leading_ones(const Dims& sizes, std::size_t rank) {
    Dims padded(rank > sizes.size() ? rank - sizes.size() : 0, 1);
    padded.insert(padded.end(), sizes.begin(), sizes.end());
    return padded;
}

// Which steps must run, of a row loop all results or none.
std::vector<bool> needed_values(const FusedExpression& e, const std::vector<std::int64_t>& outputs) {
    std::vector<bool> needed(e.inputs.size() + e.steps.size(), false);
    for (const std::int64_t output : outputs) needed[static_cast<std::size_t>(output)] = true;
    for (std::size_t i = e.steps.size(); i-- > 0;) {
        const std::size_t value = e.inputs.size() + i;
        if (e.steps[i].kind.family == LoopFamily::Also && needed[value]) needed[value - 1] = true;
        if (!needed[value]) continue;
        for (const FusedOperand& operand : e.steps[i].inputs) {
            if (!operand.is_number) needed[operand.value] = true;
        }
    }
    for (std::size_t i = 0; i < e.steps.size(); ++i) {
        const std::size_t value = e.inputs.size() + i;
        if (e.steps[i].kind.family == LoopFamily::Also) needed[value] = needed[value - 1];
    }
    return needed;
}

struct OpenPart {
    Dims whole;  // without leading ones
    std::int64_t reduced = 0;
    std::vector<std::uint32_t> steps;

    // The sizes of rows, with and without the dimensions of a row; without leading ones.
    Dims kept_sizes() const {
        Dims sizes = with_leading_ones(whole, static_cast<std::size_t>(reduced));
        std::fill(sizes.end() - reduced, sizes.end(), 1);
        return without_leading_ones(sizes);
    }
    Dims dropped_sizes() const {
        Dims sizes = with_leading_ones(whole, static_cast<std::size_t>(reduced));
        sizes.resize(sizes.size() - static_cast<std::size_t>(reduced));
        return without_leading_ones(sizes);
    }
};

class PartMaker {
  public:
    PartMaker(const FusedExpression& whole, const std::vector<Dims>& sizes, const std::vector<std::int64_t>& outputs)
        : e_(whole),
          needed_(needed_values(whole, outputs)),
          part_of_(needed_.size(), -1),
          shapes_(needed_.size(), RowShape::Elements),
          lacks_row_(needed_.size(), false),
          is_read_outside_(needed_.size(), false) {
        for (const Dims& s : sizes) sizes_.push_back(without_leading_ones(s));
        for (const std::int64_t output : outputs) is_read_outside_[static_cast<std::size_t>(output)] = true;
    }

    std::vector<FusedPart> make() {
        for (std::size_t value = e_.inputs.size(); value < needed_.size(); ++value) {
            if (needed_[value]) place(static_cast<std::uint32_t>(value));
        }
        for (std::size_t value = e_.inputs.size(); value < needed_.size(); ++value) {
            if (!needed_[value]) continue;
            for (const FusedOperand& operand : step(value).inputs) {
                if (!operand.is_number && part_of_[operand.value] != part_of_[value])
                    is_read_outside_[operand.value] = true;
            }
        }
        std::vector<FusedPart> parts;
        for (const OpenPart& open : open_) parts.push_back(finish(open));
        return parts;
    }

  private:
    const FusedStep& step(std::size_t value) const { return e_.steps[value - e_.inputs.size()]; }

    // Parts run in order: a step goes into the first matching part after its operands' parts.
    void place(std::uint32_t value) {
        if (step(value).kind.family == LoopFamily::Also)
            return join(value, static_cast<std::size_t>(part_of_[value - 1]));
        std::int64_t earliest = 0;
        for (const FusedOperand& operand : step(value).inputs) {
            if (!operand.is_number) earliest = std::max<std::int64_t>(earliest, part_of_[operand.value]);
        }
        for (auto p = static_cast<std::size_t>(earliest); p < open_.size(); ++p) {
            if (fits(value, p)) return join(value, p);
        }
        OpenPart fresh;
        fresh.whole = whole_of(value);
        open_.push_back(std::move(fresh));
        join(value, open_.size() - 1);
    }

    const Dims& whole_of(std::uint32_t value) const {
        return step(value).rows ? sizes_[step(value).inputs[0].value] : sizes_[value];
    }

    bool reads_dropped(std::uint32_t value, std::size_t p) const {
        return std::any_of(step(value).inputs.begin(), step(value).inputs.end(), [&](const FusedOperand& operand) {
            return !operand.is_number && part_of_[operand.value] == static_cast<std::int64_t>(p) &&
                   lacks_row_[operand.value];
        });
    }

    // They are complete when all rows are done.
    bool reads_sums(std::uint32_t value, std::size_t p) const {
        return std::any_of(step(value).inputs.begin(), step(value).inputs.end(), [&](const FusedOperand& operand) {
            return !operand.is_number && part_of_[operand.value] == static_cast<std::int64_t>(p) &&
                   shapes_[operand.value] == RowShape::Columns;
        });
    }
    bool is_sum(std::uint32_t value) const {
        std::uint32_t first = value;
        while (step(first).kind.family == LoopFamily::Also) --first;
        return step(first).rows && value - first >= step(first).rows->outputs - step(first).rows->sums;
    }

    bool fits(std::uint32_t value, std::size_t p) const {
        const OpenPart& part = open_[p];
        if (reads_sums(value, p)) return false;
        if (part.whole == whole_of(value)) {
            const bool rows_fit = !step(value).rows || part.reduced == 0 || part.reduced == step(value).rows->reduced;
            return rows_fit && !reads_dropped(value, p);
        }
        return !step(value).rows && part.reduced > 0 && is_per_row(value, p);
    }

    // An operator on values per row, some of which are computed here.
    bool is_per_row(std::uint32_t value, std::size_t p) const {
        const bool is_kept = sizes_[value] == open_[p].kept_sizes();
        if (!is_kept && sizes_[value] != open_[p].dropped_sizes()) return false;
        bool reads_one = false;
        for (const FusedOperand& operand : step(value).inputs) {
            if (operand.is_number || part_of_[operand.value] != static_cast<std::int64_t>(p)) continue;
            if (shapes_[operand.value] != RowShape::PerRow || lacks_row_[operand.value] == is_kept) return false;
            reads_one = true;
        }
        return reads_one;
    }

    void join(std::uint32_t value, std::size_t p) {
        OpenPart& part = open_[p];
        if (step(value).rows) part.reduced = step(value).rows->reduced;
        part.steps.push_back(value);
        part_of_[value] = static_cast<std::int64_t>(p);
        if (is_sum(value)) shapes_[value] = RowShape::Columns;
        if (part.reduced == 0 || shapes_[value] == RowShape::Columns || sizes_[value] == part.whole) return;
        shapes_[value] = RowShape::PerRow;
        lacks_row_[value] = sizes_[value] != part.kept_sizes();
    }

    RowShape shape_of_input(const FusedPart& part, const FusedPart::Array& array) const {
        const Dims sizes = part.aligned(array, sizes_[array.value]);
        const auto row = sizes.end() - part.reduced;
        const auto is_more = [](std::int64_t size) { return size != 1; };
        if (std::none_of(row, sizes.end(), is_more)) return RowShape::PerRow;
        return std::any_of(sizes.begin(), row, is_more) ? RowShape::Elements : RowShape::Columns;
    }

    FusedPart finish(const OpenPart& open) const {
        FusedPart part;
        part.values = open.steps;
        part.reduced = open.reduced;
        part.whole = with_leading_ones(open.whole, static_cast<std::size_t>(open.reduced));
        std::map<FusedPart::Array, std::uint32_t> place;
        const auto array_of = [&](const FusedOperand& operand, std::uint32_t reader) {
            const bool is_inside = part_of_[operand.value] == part_of_[reader];
            return FusedPart::Array{operand.value, is_inside ? static_cast<bool>(lacks_row_[operand.value])
                                                             : static_cast<bool>(lacks_row_[reader])};
        };
        for (const std::uint32_t value : open.steps) {
            for (const FusedOperand& operand : step(value).inputs) {
                if (operand.is_number || part_of_[operand.value] == part_of_[value]) continue;
                const FusedPart::Array array = array_of(operand, value);
                if (!place.try_emplace(array, static_cast<std::uint32_t>(part.inputs.size())).second) continue;
                part.inputs.push_back(array);
                part.expression.inputs.push_back(e_.dtype_of(operand.value));
                if (part.reduced > 0) part.expression.shapes.push_back(shape_of_input(part, array));
            }
        }
        for (const std::uint32_t value : open.steps) {
            FusedStep moved = step(value);
            for (FusedOperand& operand : moved.inputs) {
                if (!operand.is_number) operand.value = place.at(array_of(operand, value));
            }
            const FusedPart::Array array{value, lacks_row_[value]};
            place[array] = static_cast<std::uint32_t>(part.inputs.size() + part.expression.steps.size());
            if (shapes_[value] == RowShape::Columns) moved.dtype = moved.result_as;  // rounded when all are added
            part.expression.steps.push_back(std::move(moved));
            if (part.reduced > 0) part.expression.shapes.push_back(shapes_[value]);
            if (!is_read_outside_[value]) continue;
            part.outputs.push_back(array);
            part.expression.outputs.push_back(place[array]);
        }
        return part;
    }

    const FusedExpression& e_;
    std::vector<Dims> sizes_;
    std::vector<bool> needed_;
    std::vector<std::int64_t> part_of_;  // -1: an input of the group
    std::vector<RowShape> shapes_;
    std::vector<bool> lacks_row_;
    std::vector<bool> is_read_outside_;
    std::vector<OpenPart> open_;
};

}  // namespace

Dims FusedPart::aligned(const Array& array, Dims sizes) const {
    if (array.lacks_row) sizes.insert(sizes.end(), static_cast<std::size_t>(reduced), 1);
    return with_leading_ones(sizes, whole.size());
}

std::vector<FusedPart> make_parts(const FusedExpression& whole, const std::vector<Dims>& sizes,
                                  const std::vector<std::int64_t>& outputs) {
    return PartMaker(whole, sizes, outputs).make();
}

}  // namespace loupe::runtime
