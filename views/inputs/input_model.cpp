// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/inputs/input_model.h"

#include <QRegularExpression>

#include "views/common/format.h"
#include "views/common/theme.h"

namespace loupe::views {

using session::InputSpec;

namespace {

const char* const kHeaders[] = {
    QT_TRANSLATE_NOOP("loupe::views::InputModel", "Input"), QT_TRANSLATE_NOOP("loupe::views::InputModel", "Source"),
    QT_TRANSLATE_NOOP("loupe::views::InputModel", "Shape"), QT_TRANSLATE_NOOP("loupe::views::InputModel", "Type"),
    QT_TRANSLATE_NOOP("loupe::views::InputModel", "Seed, range or file")};
const char* const kSources[] = {
    QT_TRANSLATE_NOOP("loupe::views::InputModel", "Random"), QT_TRANSLATE_NOOP("loupe::views::InputModel", "Normal"),
    QT_TRANSLATE_NOOP("loupe::views::InputModel", "Zeros"),  QT_TRANSLATE_NOOP("loupe::views::InputModel", "Ones"),
    QT_TRANSLATE_NOOP("loupe::views::InputModel", "Arange"), QT_TRANSLATE_NOOP("loupe::views::InputModel", "File"),
    QT_TRANSLATE_NOOP("loupe::views::InputModel", "Example")};

bool isInteger(const std::string& dtype) { return dtype.find("int") != std::string::npos; }

QString detailText(const InputSpec& spec) {
    switch (spec.source) {
        case InputSpec::Source::File:
            return spec.key.empty() ? text(spec.file) : QStringLiteral("%1:%2").arg(text(spec.file), text(spec.key));
        case InputSpec::Source::Example:
            return QStringLiteral("example_inputs[%1]").arg(text(spec.key));
        case InputSpec::Source::Random:
        case InputSpec::Source::Normal:
            return isInteger(spec.dtype)
                       ? InputModel::tr("seed %1, %2 to %3").arg(spec.seed).arg(spec.low).arg(spec.high - 1)
                       : InputModel::tr("seed %1").arg(spec.seed);
        default:
            return {};
    }
}

// "seed 3, 0 to 9", or one of its numbers only: the seed first.
bool parseDetail(const QString& text, InputSpec& spec) {
    if (spec.source == InputSpec::Source::File) {
        const qsizetype colon = text.lastIndexOf(QLatin1Char(':'));
        const bool keyed = colon > 0 && text.left(colon).endsWith(QLatin1String(".npz"));
        spec.file = (keyed ? text.left(colon) : text).toStdString();
        spec.key = keyed ? text.mid(colon + 1).toStdString() : std::string();
        return true;
    }
    static const QRegularExpression number(QStringLiteral("-?\\d+"));
    std::vector<qlonglong> numbers;
    for (auto match = number.globalMatch(text); match.hasNext();)
        numbers.push_back(match.next().captured().toLongLong());
    if (numbers.empty() || numbers[0] < 0) return false;
    spec.seed = static_cast<std::uint64_t>(numbers[0]);
    if (numbers.size() >= 3) {
        if (numbers[2] < numbers[1]) return false;
        spec.low = numbers[1];
        spec.high = numbers[2] + 1;
    }
    return true;
}

}  // namespace

std::optional<session::Shape> parseShape(const QString& text) {
    static const QRegularExpression separators(QStringLiteral("[x,\\s\\[\\]()]+"));
    session::Shape shape;
    if (text.trimmed() == QLatin1String("scalar")) return shape;
    for (const QString& part : text.split(separators, Qt::SkipEmptyParts)) {
        bool ok = false;
        const qlonglong size = part.toLongLong(&ok);
        if (!ok || size < 0) return std::nullopt;
        shape.push_back(size);
    }
    return shape;
}

QStringList InputModel::sourceNames() {
    QStringList names;
    for (const char* name : kSources) names += tr(name);
    return names;
}

QStringList InputModel::dtypeNames() {
    return {QStringLiteral("float32"),       QStringLiteral("float64"),    QStringLiteral("float16"),
            QStringLiteral("bfloat16"),      QStringLiteral("int64"),      QStringLiteral("int32"),
            QStringLiteral("int16"),         QStringLiteral("int8"),       QStringLiteral("uint8"),
            QStringLiteral("bool"),          QStringLiteral("complex64"),  QStringLiteral("complex128"),
            QStringLiteral("uint16"),        QStringLiteral("uint32"),     QStringLiteral("uint64"),
            QStringLiteral("float8_e4m3fn"), QStringLiteral("float8_e5m2")};
}

void InputModel::setInputs(std::vector<session::MethodInfo::Argument> arguments, std::vector<InputSpec> specs) {
    beginResetModel();
    arguments_ = std::move(arguments);
    specs_ = std::move(specs);
    endResetModel();
}

void InputModel::setSpec(int row, const InputSpec& spec) {
    specs_[static_cast<std::size_t>(row)] = spec;
    emit dataChanged(index(row, 0), index(row, ColumnCount - 1));
    emit edited();
}

int InputModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(specs_.size());
}

int InputModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant InputModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const auto row = static_cast<std::size_t>(index.row());
    const InputSpec& spec = specs_[row];
    if (role == Qt::FontRole && index.column() != Name) return Theme::instance().monoFont();
    if (role == Qt::ToolTipRole && index.column() == Name && row < arguments_.size()) return text(arguments_[row].type);
    if (role == Qt::ToolTipRole && index.column() == Detail) return data(index, Qt::EditRole);
    if (role != Qt::DisplayRole && role != Qt::EditRole) return {};
    const bool file = spec.source == InputSpec::Source::File;
    switch (index.column()) {
        case Name:
            return row < arguments_.size() ? text(arguments_[row].name) : tr("input %1").arg(row);
        case Source:
            return spec.literal            ? tr("Value")
                   : spec.elements.empty() ? tr(kSources[static_cast<int>(spec.source)])
                                           : tr("List");
        case ShapeColumn:
            return spec.literal || !spec.elements.empty() || (file && spec.shape.empty()) ? QString()
                                                                                          : shapeText(spec.shape);
        case Dtype:
            return spec.literal || !spec.elements.empty() || (file && spec.shape.empty()) ? QString()
                                                                                          : text(spec.dtype);
        case Detail: {
            if (spec.literal) return text(*spec.literal);
            if (spec.elements.empty())
                return file && role == Qt::DisplayRole ? detailText(spec).section(QLatin1Char('/'), -1)
                                                       : detailText(spec);
            QStringList parts;
            for (const auto& element : spec.elements) parts += text(input_spec_text(element));
            return parts.join(QStringLiteral(", "));
        }
        default:
            return {};
    }
}

Qt::ItemFlags InputModel::flags(const QModelIndex& index) const {
    if (!index.isValid()) return Qt::NoItemFlags;
    const InputSpec& spec = specs_[static_cast<std::size_t>(index.row())];
    const auto plain = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
    if (index.column() == Name || !spec.elements.empty()) return plain;
    if (spec.literal) return index.column() == Detail ? plain | Qt::ItemIsEditable : plain;
    const bool file = spec.source == InputSpec::Source::File;
    if (file && (index.column() == ShapeColumn || index.column() == Dtype)) return plain;
    return plain | Qt::ItemIsEditable;
}

bool InputModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (role != Qt::EditRole || !index.isValid()) return false;
    InputSpec spec = specs_[static_cast<std::size_t>(index.row())];
    const QString typed = value.toString().trimmed();
    switch (index.column()) {
        case Source: {
            const auto source = sourceNames().indexOf(typed);
            if (source < 0) return false;
            spec.source = static_cast<InputSpec::Source>(source);
            break;
        }
        case ShapeColumn: {
            const auto shape = parseShape(typed);
            if (!shape) return false;
            spec.shape = *shape;
            break;
        }
        case Dtype:
            if (!dtypeNames().contains(typed)) return false;
            spec.dtype = typed.toStdString();
            break;
        case Detail:
            if (spec.literal) {
                spec.literal = typed.toStdString();
            } else if (!parseDetail(typed, spec)) {
                return false;
            }
            break;
        default:
            return false;
    }
    setSpec(index.row(), spec);
    return true;
}

QVariant InputModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (role != Qt::DisplayRole || orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
    return tr(kHeaders[section]);
}

}  // namespace loupe::views
