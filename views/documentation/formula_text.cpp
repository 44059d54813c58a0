// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/documentation/formula_text.h"

#include <QHash>

namespace loupe::views {

namespace {

const QHash<QString, QString>& signs() {
    static const QHash<QString, QString> all{
        {QStringLiteral("pi"), QStringLiteral("π")},    {QStringLiteral("inf"), QStringLiteral("∞")},
        {QStringLiteral("alpha"), QStringLiteral("α")}, {QStringLiteral("beta"), QStringLiteral("β")},
        {QStringLiteral("lambd"), QStringLiteral("λ")}, {QStringLiteral("delta"), QStringLiteral("δ")},
        {QStringLiteral("eps"), QStringLiteral("ε")},   {QStringLiteral("tau"), QStringLiteral("τ")},
        {QStringLiteral("Gamma"), QStringLiteral("Γ")}, {QStringLiteral("Phi"), QStringLiteral("Φ")},
        {QStringLiteral("phi"), QStringLiteral("φ")},   {QStringLiteral("psi"), QStringLiteral("ψ")},
        {QStringLiteral("theta"), QStringLiteral("θ")}, {QStringLiteral("xor"), QStringLiteral("⊕")},
    };
    return all;
}

const QSet<QString>& functions() {
    static const QSet<QString> all{
        QStringLiteral("exp"),     QStringLiteral("ln"),
        QStringLiteral("log"),     QStringLiteral("log2"),
        QStringLiteral("sin"),     QStringLiteral("cos"),
        QStringLiteral("tan"),     QStringLiteral("arcsin"),
        QStringLiteral("arccos"),  QStringLiteral("arctan"),
        QStringLiteral("sinh"),    QStringLiteral("cosh"),
        QStringLiteral("tanh"),    QStringLiteral("arsinh"),
        QStringLiteral("arcosh"),  QStringLiteral("artanh"),
        QStringLiteral("max"),     QStringLiteral("min"),
        QStringLiteral("sigmoid"), QStringLiteral("softplus"),
        QStringLiteral("softmax"), QStringLiteral("sgn"),
        QStringLiteral("sign"),    QStringLiteral("floor"),
        QStringLiteral("ceil"),    QStringLiteral("round"),
        QStringLiteral("trunc"),   QStringLiteral("conj"),
        QStringLiteral("real"),    QStringLiteral("imag"),
        QStringLiteral("erf"),     QStringLiteral("erfc"),
        QStringLiteral("mean"),    QStringLiteral("sqrt"),
        QStringLiteral("det"),     QStringLiteral("diag"),
        QStringLiteral("triu"),    QStringLiteral("tril"),
        QStringLiteral("tri"),     QStringLiteral("zeta"),
        QStringLiteral("argmax"),  QStringLiteral("argmin"),
        QStringLiteral("atan"),    QStringLiteral("atan2"),
        QStringLiteral("relu"),    QStringLiteral("gcd"),
        QStringLiteral("lcm"),     QStringLiteral("cross"),
        QStringLiteral("conv"),    QStringLiteral("conv_transpose"),
        QStringLiteral("sum"),     QStringLiteral("prod"),
        QStringLiteral("norm"),    QStringLiteral("igamma"),
        QStringLiteral("nansum"),
    };
    return all;
}

class Setter {
  public:
    Setter(const QString& text, const QSet<QString>& variables) : text_(text), variables_(variables) {}

    QString all() {
        QString out;
        while (at_ < text_.size()) out += next();
        return out;
    }

  private:
    // The kind of the last piece, to detect products.
    enum class Piece { Start, Operand, Function, Other };

    QString next() {
        const QChar c = text_[at_];
        if (c.isLetter() || c == u'_') return word();
        if (c.isDigit()) return number();
        switch (c.unicode()) {
            case ' ':
                ++at_;
                return space();
            case '^':
                return power();
            case '[':
                return index();
            case '(':
                return bracket();
            case '|':
                return bar();
            default:
                return sign();
        }
    }

    static bool isWord(QChar c) { return c.isLetterOrNumber() || c == u'_'; }

    QString word() {
        qsizetype end = at_;
        while (end < text_.size() && isWord(text_[end])) ++end;
        // "o'": a primed name.
        const QString name = text_.mid(at_, end - at_);
        at_ = end;
        if (isVariable(name)) return operand(leaning(name));
        // "sum_k", "grad_L", "psi_n": a name with an index.
        const qsizetype line = name.indexOf(u'_');
        if (line > 0 && hasIndex(name.left(line))) {
            const QString below = line + 1 < name.size() ? Setter(name.mid(line + 1), variables_).all() : braces();
            const QString base = name.left(line);
            const bool big =
                base == QLatin1String("sum") || base == QLatin1String("prod") || functions().contains(base);
            const QString set =
                (isVariable(base) ? leaning(base) : upright(base)) + QStringLiteral("<sub>%1</sub>").arg(below);
            if (!big) return operand(set);
            const QString lead = productSign();
            piece_ = Piece::Function;
            return lead + set;
        }
        if (name == QLatin1String("sqrt") && peek() == u'(') return root();
        if (functions().contains(name) && (peek() == u'(' || peek() == u'_')) {
            const QString lead = productSign();
            piece_ = Piece::Function;
            return lead + upright(name);
        }
        const auto found = signs().constFind(name);
        if (found != signs().constEnd()) {
            if (name == QLatin1String("xor")) {
                piece_ = Piece::Other;
                return *found;
            }
            return operand(name == QLatin1String("pi") || name == QLatin1String("inf") || name == QLatin1String("Gamma")
                               ? *found
                               : QStringLiteral("<i>%1</i>").arg(*found));
        }
        // Prose.
        spaced_ = false;
        piece_ = Piece::Other;
        return name.toHtmlEscaped();
    }

    bool isVariable(const QString& name) const {
        static const QSet<QString> always{QStringLiteral("grad"),  QStringLiteral("out"),   QStringLiteral("grad0"),
                                          QStringLiteral("grad1"), QStringLiteral("grad2"), QStringLiteral("out0"),
                                          QStringLiteral("out1"),  QStringLiteral("out2"),  QStringLiteral("dz"),
                                          QStringLiteral("dS"),    QStringLiteral("dP"),    QStringLiteral("dc"),
                                          QStringLiteral("std"),   QStringLiteral("Vh")};
        if (name.size() == 1 && name != QLatin1String("a")) return true;
        // "a" is an article in prose and a number before a sign.
        if (name == QLatin1String("a"))
            return !(peek() == u' ' && at_ + 1 < text_.size() && text_[at_ + 1].isLetter() && !nextWordIsVariable());
        return always.contains(name) || (variables_.contains(name) && !signs().contains(name));
    }
    bool nextWordIsVariable() const {
        qsizetype end = at_ + 1;
        while (end < text_.size() && isWord(text_[end])) ++end;
        const QString name = text_.mid(at_ + 1, end - at_ - 1);
        return name.size() == 1 || variables_.contains(name) || functions().contains(name);
    }
    bool hasIndex(const QString& base) const {
        static const QSet<QString> bases{QStringLiteral("sum"),    QStringLiteral("prod"), QStringLiteral("max"),
                                         QStringLiteral("min"),    QStringLiteral("mean"), QStringLiteral("argmax"),
                                         QStringLiteral("argmin"), QStringLiteral("psi"),  QStringLiteral("grad"),
                                         QStringLiteral("He")};
        return base.size() == 1 || bases.contains(base);
    }

    QString number() {
        qsizetype end = at_;
        while (end < text_.size() &&
               (text_[end].isDigit() || (text_[end] == u'.' && end + 1 < text_.size() && text_[end + 1].isDigit())))
            ++end;
        const QString digits = text_.mid(at_, end - at_);
        at_ = end;
        return operand(digits);
    }

    QString space() {
        spaced_ = piece_ == Piece::Operand;
        return QStringLiteral(" ");
    }

    QString power() {
        ++at_;
        QString raised;
        if (peek() == u'(')
            raised = Setter(inside(u'(', u')'), variables_).all();
        else if (peek() == u'{')
            raised = Setter(inside(u'{', u'}'), variables_).all();
        else {
            if (peek() == u'-') {
                raised = QStringLiteral("−");
                ++at_;
            }
            qsizetype end = at_;
            while (end < text_.size() && isWord(text_[end])) ++end;
            if (text_.mid(at_, end - at_) == QLatin1String("T") || text_.mid(at_, end - at_) == QLatin1String("H")) {
                raised += text_.mid(at_, end - at_);
            } else {
                raised += Setter(text_.mid(at_, end - at_), variables_).all();
            }
            at_ = end;
        }
        piece_ = Piece::Operand;
        return QStringLiteral("<sup>%1</sup>").arg(raised);
    }

    // Short indices become subscripts; long ones stay in brackets.
    QString index() {
        const bool follows = at_ > 0 && (isWord(text_[at_ - 1]) || text_[at_ - 1] == u'\'');
        const qsizetype before = at_;
        const QString content = inside(u'[', u']');
        if (at_ == before) return opened(QStringLiteral("["));
        const QString set = Setter(content, variables_).all();
        piece_ = Piece::Operand;
        const bool is_short = content.size() <= 9 && !content.contains(u'[') && !content.contains(u'(');
        return follows && is_short ? QStringLiteral("<sub>%1</sub>").arg(set) : QStringLiteral("[%1]").arg(set);
    }

    QString bracket() {
        const QString lead = piece_ == Piece::Operand && spaced_ ? productSign() : QString();
        const qsizetype before = at_;
        const QString content = inside(u'(', u')');
        if (at_ == before) return opened(QStringLiteral("("));
        const QString set = Setter(content, variables_).all();
        piece_ = Piece::Operand;
        spaced_ = false;
        return lead + QStringLiteral("(%1)").arg(set);
    }

    // Half-open intervals have different brackets, and stay as they are.
    QString opened(const QString& bracket) {
        ++at_;
        piece_ = Piece::Other;
        return bracket;
    }

    QString bar() {
        ++at_;
        open_bar_ = !open_bar_;
        const QString lead = open_bar_ && piece_ == Piece::Operand && spaced_ ? productSign() : QString();
        piece_ = open_bar_ ? Piece::Other : Piece::Operand;
        spaced_ = false;
        return lead + QStringLiteral("|");
    }

    QString root() {
        const QString lead = productSign();
        const QString content = inside(u'(', u')');
        const QString set = Setter(content, variables_).all();
        piece_ = Piece::Operand;
        spaced_ = false;
        return lead + QStringLiteral("√<span style=\"text-decoration: overline\">%1</span>").arg(set);
    }

    QString sign() {
        static const struct {
            QLatin1String text;
            QString set;
        } pairs[] = {{QLatin1String("<="), QStringLiteral("≤")}, {QLatin1String(">="), QStringLiteral("≥")},
                     {QLatin1String("!="), QStringLiteral("≠")}, {QLatin1String("->"), QStringLiteral("→")},
                     {QLatin1String(".."), QStringLiteral("…")}, {QLatin1String("-"), QStringLiteral("−")},
                     {QLatin1String("*"), QStringLiteral("·")},  {QLatin1String("'"), QStringLiteral("′")}};
        for (const auto& [plain, set] : pairs) {
            if (QStringView(text_).mid(at_).startsWith(plain)) {
                at_ += plain.size();
                if (plain != QLatin1String("'")) piece_ = Piece::Other;
                return set;
            }
        }
        const QString set = QString(text_[at_++]).toHtmlEscaped();
        piece_ = Piece::Other;
        return set;
    }

    QString operand(const QString& set) {
        const QString lead = productSign();
        piece_ = Piece::Operand;
        spaced_ = false;
        return lead + set;
    }
    // Two factors with a space between them.
    QString productSign() const {
        return piece_ == Piece::Operand && spaced_ ? QStringLiteral("<span style=\"font-style: normal\">⋅ </span>")
                                                   : QString();
    }

    static QString leaning(const QString& name) { return QStringLiteral("<i>%1</i>").arg(name.toHtmlEscaped()); }
    static QString upright(const QString& name) {
        if (name == QLatin1String("sum")) return QStringLiteral("∑");
        if (name == QLatin1String("prod")) return QStringLiteral("∏");
        if (name == QLatin1String("log2")) return QStringLiteral("log<sub>2</sub>");
        if (name == QLatin1String("psi")) return QStringLiteral("<i>ψ</i>");
        return name.toHtmlEscaped();
    }

    QChar peek() const { return at_ < text_.size() ? text_[at_] : QChar(); }
    QString braces() { return peek() == u'{' ? Setter(inside(u'{', u'}'), variables_).all() : QString(); }
    // The text between this bracket and its counterpart; does not advance when there is none.
    QString inside(QChar open, QChar close) {
        int depth = 0;
        for (qsizetype i = at_; i < text_.size(); ++i) {
            if (text_[i] == open) ++depth;
            if (text_[i] != close || --depth > 0) continue;
            const QString content = text_.mid(at_ + 1, i - at_ - 1);
            at_ = i + 1;
            return content;
        }
        return {};
    }

    const QString text_;
    const QSet<QString>& variables_;
    qsizetype at_ = 0;
    Piece piece_ = Piece::Start;
    bool spaced_ = false;
    bool open_bar_ = false;
};

}  // namespace

QString formulaHtml(const QString& formula, const QSet<QString>& variables) { return Setter(formula, variables).all(); }

}  // namespace loupe::views
