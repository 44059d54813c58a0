// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/said_text.h"

#include <QCoreApplication>
#include <limits>

namespace loupe::views {
namespace {

// Plural forms go by the number's last digits.
int pluralOf(std::int64_t count) {
    constexpr std::int64_t kMost = std::numeric_limits<int>::max();
    if (count < 0) return -1;
    return static_cast<int>(count <= kMost ? count : 1000000 + count % 1000000);
}

QString formOf(const Said& said) {
    const std::string& singular = said.singular();
    const QString form = QString::fromStdString(said.form());
    const QString found =
        QCoreApplication::translate("engine", said.form().c_str(), singular.empty() ? nullptr : singular.c_str(),
                                    singular.empty() ? -1 : pluralOf(said.count()));
    return found == form && said.count() == 1 ? QString::fromStdString(singular) : found;
}

class Speaker {
  public:
    explicit Speaker(qsizetype longest) : longest_(longest) {}

    // False: it is none of our sentences.
    bool say(const Said& said, int depth = 0) {
        constexpr int kDeepest = 64;
        constexpr int kMostParts = 10000;
        if (++parts_ > kMostParts || depth > kDeepest || out_.size() > longest_) return false;
        if (said.form().empty()) {
            if (said.parts().empty()) out_ += QString::fromStdString(said.text());
            for (const Said& part : said.parts()) {
                if (!say(part, depth + 1)) return false;
            }
            return true;
        }
        return fill(formOf(said), said.parts(), depth);
    }
    QString take() { return std::move(out_); }

  private:
    bool fill(const QString& form, const std::vector<Said>& parts, int depth) {
        for (qsizetype at = 0; at < form.size(); ++at) {
            const bool isPlace =
                form[at] == u'%' && at + 1 < form.size() && form[at + 1] >= u'1' && form[at + 1] <= u'9';
            if (!isPlace) {
                out_ += form[at];
                continue;
            }
            const auto place = static_cast<std::size_t>(form[++at].unicode() - u'1');
            if (place < parts.size() && !say(parts[place], depth + 1)) return false;
        }
        return true;
    }

    qsizetype longest_;
    int parts_ = 0;
    QString out_;
};

}  // namespace

QString saidText(const Said& said) {
    if (said.form().empty() && said.parts().empty()) return QString::fromStdString(said.text());
    // Other languages are longer, but not by so much.
    Speaker speaker(4 * static_cast<qsizetype>(said.text().size()) + 1000);
    return speaker.say(said) ? speaker.take() : QString::fromStdString(said.text());
}

}  // namespace loupe::views
