// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/theme.h"

#include <QApplication>
#include <QFile>
#include <QFontDatabase>
#include <QLabel>
#include <QPalette>
#include <QStyle>
#include <QStyleFactory>
#include <array>

// Qt wants it outside of namespaces.
static void initStyles() { Q_INIT_RESOURCE(styles); }

namespace loupe::views {

namespace {

struct Pair {
    QRgb dark;
    QRgb light;
};

Pair pairOf(Theme::Colour role) {
    switch (role) {
        case Theme::Colour::Window:
            return {0xff1b1e23, 0xffe9ebee};
        case Theme::Colour::Panel:
            return {0xff21252b, 0xffffffff};
        case Theme::Colour::Raised:
            return {0xff2b3038, 0xfff5f6f8};
        case Theme::Colour::Border:
            return {0xff3a404a, 0xffc9ced6};
        case Theme::Colour::Grid:
            return {0xff2d323a, 0xffe7eaee};
        case Theme::Colour::Text:
            return {0xffd7dae0, 0xff20242a};
        case Theme::Colour::Faint:
            return {0xffa3abb8, 0xff59606b};
        case Theme::Colour::Accent:
            return {0xff68b1ff, 0xff0a5fb8};
        case Theme::Colour::AccentBack:
            return {0xff24425f, 0xffcfe4fa};
        case Theme::Colour::Reached:
            return {0xfff0b429, 0xff8f5500};
        case Theme::Colour::ReachedBack:
            return {0xff4a3d1c, 0xfffdefc8};
        case Theme::Colour::Good:
            return {0xff4cc397, 0xff006b50};
        case Theme::Colour::Warning:
            return {0xffe9a71a, 0xff8a5200};
        case Theme::Colour::Bad:
            return {0xffff8177, 0xffb52015};
        case Theme::Colour::BadBack:
            return {0xff4d2626, 0xffffdfdb};
    }
    return {0xffff00ff, 0xffff00ff};
}

// Of high contrast: text at 7 to 1 and more on every ground.
Pair contrastOf(Theme::Colour role) {
    switch (role) {
        case Theme::Colour::Window:
        case Theme::Colour::Panel:
            return {0xff000000, 0xffffffff};
        case Theme::Colour::Raised:
            return {0xff16181b, 0xfff2f3f5};
        case Theme::Colour::Border:
            return {0xff9aa2ad, 0xff4a4f57};
        case Theme::Colour::Grid:
            return {0xff41464e, 0xffc3c8cf};
        case Theme::Colour::Text:
            return {0xffffffff, 0xff000000};
        case Theme::Colour::Faint:
            return {0xffd8dde4, 0xff2e3238};
        case Theme::Colour::Accent:
            return {0xff9bd0ff, 0xff003a80};
        case Theme::Colour::AccentBack:
            return {0xff0b3560, 0xffc2e0ff};
        case Theme::Colour::Reached:
            return {0xffffd257, 0xff573300};
        case Theme::Colour::ReachedBack:
            return {0xff423200, 0xffffecb3};
        case Theme::Colour::Good:
            return {0xff74e3b8, 0xff004433};
        case Theme::Colour::Warning:
            return {0xffffc955, 0xff543200};
        case Theme::Colour::Bad:
            return {0xffffb0a8, 0xff86100a};
        case Theme::Colour::BadBack:
            return {0xff4a1010, 0xffffd6d6};
    }
    return {0xffff00ff, 0xffff00ff};
}

// Okabe and Ito's, lighter or darker by background; their vermilion is brown here, to differ from the
// orange.
constexpr std::array<Pair, 8> kSeries{{{0xff56b4e9, 0xff0072b2},
                                       {0xffe69f00, 0xffd98200},
                                       {0xff2fbf92, 0xff009e73},
                                       {0xffcc79a7, 0xffb3568a},
                                       {0xfff0e442, 0xffb5a900},
                                       {0xffb8693f, 0xff8f4a1b},
                                       {0xff7f9cf5, 0xff3f51b5},
                                       {0xffa3aab5, 0xff7a828e}}};

// Of memory, by category: any two are distinguishable with normal sight and any colour blindness, on both themes.
constexpr std::array<Pair, session::kCategories> kCategoryColours{{{0xff75b0e8, 0xff0a38ca},    // parameter
                                                                   {0xffefe73c, 0xffe1ba33},    // buffer
                                                                   {0xffaaeeba, 0xff0ee386},    // activation
                                                                   {0xffb044d8, 0xffc06eed},    // saved for backward
                                                                   {0xffe6b466, 0xff956427},    // gradient
                                                                   {0xffec2718, 0xff6c1413},    // workspace
                                                                   {0xff33e9da, 0xff97c7d2},    // input
                                                                   {0xff6c7c6e, 0xff7d8382},    // other
                                                                   {0xffe548b3, 0xff5b1c4b}}};  // kernel cache

bool contains(std::string_view haystack, std::initializer_list<std::string_view> needles) {
    return std::any_of(needles.begin(), needles.end(),
                       [&](std::string_view needle) { return haystack.find(needle) != std::string_view::npos; });
}

QString firstFamily(std::initializer_list<const char*> wanted) {
    for (const char* family : wanted) {
        if (QFontDatabase::hasFamily(QLatin1String(family))) return QLatin1String(family);
    }
    return {};
}

// resources/styles/widgets.qss with the theme's colours for @names.
QString styleSheet(const Theme& theme) {
    initStyles();
    QFile file(QStringLiteral(":/styles/widgets.qss"));
    if (!file.open(QIODevice::ReadOnly)) qFatal("the style sheet is not in the program");
    QString sheet = QString::fromUtf8(file.readAll());
    const std::pair<const char*, Theme::Colour> roles[] = {
        {"@window", Theme::Colour::Window}, {"@panel", Theme::Colour::Panel},
        {"@raised", Theme::Colour::Raised}, {"@border", Theme::Colour::Border},
        {"@grid", Theme::Colour::Grid},     {"@text", Theme::Colour::Text},
        {"@faint", Theme::Colour::Faint},   {"@accentback", Theme::Colour::AccentBack},
        {"@accent", Theme::Colour::Accent}, {"@bad", Theme::Colour::Bad},
        {"@good", Theme::Colour::Good},     {"@warning", Theme::Colour::Warning},
    };
    for (const auto& [name, role] : roles) sheet.replace(QLatin1String(name), theme.colour(role).name());
    return sheet;
}

QPalette paletteOf(const Theme& theme) {
    QPalette palette;
    const auto set = [&](QPalette::ColorRole role, Theme::Colour colour) {
        palette.setColor(role, theme.colour(colour));
    };
    set(QPalette::Window, Theme::Colour::Window);
    set(QPalette::WindowText, Theme::Colour::Text);
    set(QPalette::Base, Theme::Colour::Panel);
    set(QPalette::AlternateBase, Theme::Colour::Raised);
    set(QPalette::Text, Theme::Colour::Text);
    set(QPalette::Button, Theme::Colour::Raised);
    set(QPalette::ButtonText, Theme::Colour::Text);
    set(QPalette::ToolTipBase, Theme::Colour::Raised);
    set(QPalette::ToolTipText, Theme::Colour::Text);
    set(QPalette::PlaceholderText, Theme::Colour::Faint);
    set(QPalette::Highlight, Theme::Colour::AccentBack);
    set(QPalette::HighlightedText, Theme::Colour::Text);
    set(QPalette::Link, Theme::Colour::Accent);
    set(QPalette::LinkVisited, Theme::Colour::Accent);
    set(QPalette::Mid, Theme::Colour::Border);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
        palette.setColor(QPalette::Disabled, role, theme.colour(Theme::Colour::Faint));
    }
    return palette;
}

}  // namespace

Theme& Theme::instance() {
    static Theme theme;
    return theme;
}

Theme::Theme() {
    QMetaType::registerConverter<Colour, QColor>([](Colour role) { return instance().colour(role); });
    QMetaType::registerConverter<Colour, QBrush>([](Colour role) { return QBrush(instance().colour(role)); });
}

void Theme::setMode(Mode mode) {
    mode_ = mode;
    if (mode == Mode::System) {
        dark_ = QApplication::style()->standardPalette().color(QPalette::Window).lightness() < 128;
    } else {
        dark_ = mode == Mode::Dark;
    }
    apply();
    emit changed();
}

void Theme::setContrast(bool isHigh) {
    if (isHigh == has_high_contrast_) return;
    has_high_contrast_ = isHigh;
    apply();
    emit changed();
}

void Theme::apply() {
    if (QApplication::style()->name() != QLatin1String("fusion"))
        QApplication::setStyle(QStyleFactory::create("fusion"));
    QApplication::setPalette(paletteOf(*this));
    QApplication::setFont(uiFont());
    qApp->setStyleSheet(styleSheet(*this));
    // A link has the colour that the palette had when its text was read.
    for (QWidget* widget : QApplication::allWidgets()) {
        auto* label = qobject_cast<QLabel*>(widget);
        if (label == nullptr || !label->text().contains(QLatin1String("<a "))) continue;
        const QString words = label->text();
        label->clear();
        label->setText(words);
    }
}

QColor Theme::colour(Colour role) const {
    const Pair pair = has_high_contrast_ ? contrastOf(role) : pairOf(role);
    return QColor::fromRgb(dark_ ? pair.dark : pair.light);
}

QVariant Theme::themed(Colour role) {
    instance();  // knows how a role becomes a brush
    return QVariant::fromValue(role);
}

void Theme::setTone(QWidget& label, Colour role) {
    const char* name = role == Colour::Faint     ? "faint"
                       : role == Colour::Accent  ? "accent"
                       : role == Colour::Good    ? "good"
                       : role == Colour::Warning ? "warning"
                       : role == Colour::Bad     ? "bad"
                                                 : "text";
    if (label.property("tone").toString() == QLatin1String(name)) return;
    label.setProperty("tone", QLatin1String(name));
    label.style()->unpolish(&label);
    label.style()->polish(&label);
}

QColor Theme::series(int index) const {
    const Pair pair = kSeries[static_cast<std::size_t>(index) % kSeries.size()];
    return QColor::fromRgb(dark_ ? pair.dark : pair.light);
}

QColor Theme::phase(session::RunPhase phase) const { return series(static_cast<int>(phase)); }

QColor Theme::category(session::Category category) const {
    const Pair pair = kCategoryColours[static_cast<std::size_t>(category)];
    return QColor::fromRgb(dark_ ? pair.dark : pair.light);
}

QColor Theme::dtype(std::string_view dtype) const {
    if (contains(dtype, {"complex"})) return series(3);
    if (contains(dtype, {"float16", "bfloat16", "half", "float8"})) return series(2);
    if (contains(dtype, {"float", "double"})) return series(0);
    if (contains(dtype, {"bool"})) return series(4);
    return series(1);
}

Theme::Family Theme::familyOf(std::string_view op) {
    if (contains(op, {"conv", "Conv"})) return Family::Convolution;
    if (contains(op, {"mm", "linear", "matmul", "Mm", "Linear", "einsum", "lstm", "gru"})) return Family::MatrixProduct;
    if (contains(op, {"norm", "Norm"})) return Family::Normalisation;
    if (contains(op, {"relu", "Relu", "gelu", "sigmoid", "tanh", "hardswish", "silu", "softmax"}))
        return Family::Activation;
    if (contains(op, {"pool", "Pool", "mean", "sum", "max"})) return Family::Pooling;
    if (contains(op, {"embedding", "dropout", "Embedding", "Dropout"})) return Family::Lookup;
    if (contains(op, {"add", "mul", "sub", "div", "Add", "Mul"})) return Family::Arithmetic;
    return Family::Other;
}

QString Theme::familyName(Family family) {
    switch (family) {
        case Family::Convolution:
            return tr("convolution");
        case Family::MatrixProduct:
            return tr("matrix product");
        case Family::Normalisation:
            return tr("normalisation");
        case Family::Activation:
            return tr("activation");
        case Family::Pooling:
            return tr("pool, reduce");
        case Family::Lookup:
            return tr("embedding, dropout");
        case Family::Arithmetic:
            return tr("arithmetic");
        case Family::Other:
            break;
    }
    return tr("other");
}

QColor Theme::family(Family family) const {
    constexpr std::array<int, kFamilies> kColours{0, 6, 2, 1, 3, 4, 5, 7};
    return series(kColours[static_cast<std::size_t>(family)]);
}

QBrush Theme::notFinite() const { return {colour(Colour::Bad), Qt::BDiagPattern}; }

QFont Theme::uiFont() const {
    static const QString family =
        firstFamily({"Inter", "Noto Sans", "Segoe UI", "Open Sans", "DejaVu Sans"});  // asking takes long
    QFont font(family);
    // Keeps "1x64" from becoming "1×64", a ligature of Inter.
    font.setStyleStrategy(QFont::PreferNoShaping);
    font.setPointSizeF(9);
    return font;
}

QFont Theme::monoFont() const {
    static const QString family = firstFamily({"JetBrains Mono", "Fira Code", "Noto Sans Mono", "DejaVu Sans Mono"});
    QFont font(family);
    font.setStyleHint(QFont::Monospace);
    // No ligatures in code: "->" and "!=" are two characters.
    font.setStyleStrategy(QFont::PreferNoShaping);
    font.setPointSizeF(8.5);
    return font;
}

QFont Theme::codeFont() const {
    QFont font = monoFont();
    static const QString family =
        firstFamily({"JetBrains Mono NL", "Noto Sans Mono", "DejaVu Sans Mono", "Liberation Mono"});
    font.setFamily(family);
    return font;
}

}  // namespace loupe::views
