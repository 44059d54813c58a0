// SPDX-License-Identifier: Apache-2.0
// Sentences as values: their English, and their way through bytes. What a window says of them is said_test's.

#include <QtTest>
#include <tuple>

#include "core/base/error.h"
#include "core/base/said.h"
#include "core/session/wire/wire.h"

using namespace loupe;
using session::from_bytes;
using session::to_bytes;

namespace {

std::string form_of(const Said& said) { return said.form(); }

bool is_same(const Said& a, const Said& b) {
    if (a.text() != b.text() || a.form() != b.form() || a.singular() != b.singular() || a.count() != b.count() ||
        a.parts().size() != b.parts().size())
        return false;
    for (std::size_t i = 0; i < a.parts().size(); ++i) {
        if (!is_same(a.parts()[i], b.parts()[i])) return false;
    }
    return true;
}

int depth_of(const Said& said) {
    int deepest = 0;
    for (const Said& part : said.parts()) deepest = std::max(deepest, depth_of(part));
    return deepest + 1;
}

Said nested() {
    const Said cause = engine::said("%1 at %2", std::string("sqrt"), 0);
    Said text = engine::said("%1 makes %2 things", cause, 3);
    text += engine::said("; %1 events pass it on", "; %1 event passes it on", 1);
    return text;
}

}  // namespace

class TestSaid : public QObject {
    Q_OBJECT

  private slots:
    void its_english_is_its_text() {
        QCOMPARE(engine::said("nothing was met").text(), std::string("nothing was met"));
        QCOMPARE(engine::said("%2 before %1", std::string("b"), std::string("a")).text(), std::string("a before b"));
        QCOMPARE(engine::said("%1 and %1 again", 7).text(), std::string("7 and 7 again"));
        QCOMPARE(engine::said("dead for 100 % of %1", std::string("x")).text(), std::string("dead for 100 % of x"));
        // What stands in a place is no form.
        QCOMPARE(engine::said("%1 of %2", std::string("%2"), std::string("%1")).text(), std::string("%2 of %1"));
        const std::string text = nested();
        QCOMPARE(text, std::string("sqrt at 0 makes 3 things; 1 event passes it on"));
        QCOMPARE(concat("<", nested(), ">"), concat("<", text, ">"));
    }
    void a_count_has_its_singular() {
        const auto events = [](std::int64_t count) {
            return engine::said("%1 events in %2", "%1 event in %2", count, std::string("net")).text();
        };
        QCOMPARE(events(0), std::string("0 events in net"));
        QCOMPARE(events(1), std::string("1 event in net"));
        QCOMPARE(events(2), std::string("2 events in net"));
        QCOMPARE(engine::said("%1 events", "%1 event", std::size_t{1}).count(), std::int64_t{1});
    }
    void texts_are_in_no_language() {
        for (const Said& said : {Said("RuntimeError: %1"), Said(std::string("RuntimeError: %1")),
                                 Said(std::string_view("RuntimeError: %1")), engine::listed("RuntimeError: %1")}) {
            QCOMPARE(said.text(), std::string("RuntimeError: %1"));
            QVERIFY(said.form().empty() && said.parts().empty());
        }
        QCOMPARE(form_of(engine::listed("sqrt at 0")), std::string("sqrt at 0"));
        QVERIFY(Said().empty() && Said("").empty() && !Said("x").empty());
    }
    void what_is_added_stands_behind_it() {
        Said text;
        text += "";
        QVERIFY(text.empty());
        text += "a";
        text += "b";
        QVERIFY(text.parts().empty());  // text behind text is text
        text += engine::said("; %1 more", 2);
        QCOMPARE(text.text(), std::string("ab; 2 more"));
        QCOMPARE(text.parts().size(), std::size_t{2});
        text += said_in_row(", ", 5, "!");
        QCOMPARE(text.text(), std::string("ab; 2 more, 5!"));
        QCOMPARE(said_list({Said("a"), engine::said("b")}, ", ").text(), std::string("a, b"));
        QCOMPARE(said_list({}, ", ").text(), std::string());
    }
    // However long a sentence grows, readers of messages take it.
    void rows_are_flat_and_sentences_shallow() {
        Said row = engine::said("begin");
        Said deep = engine::said("begin");
        for (int i = 0; i < 500; ++i) {
            row += engine::said("; breakpoint %1 was not met", i);
            deep = engine::said("%1, and then", deep);
        }
        QVERIFY2(depth_of(row) < 5, qPrintable(QString::number(depth_of(row))));
        QVERIFY2(depth_of(deep) < 40, qPrintable(QString::number(depth_of(deep))));
        QVERIFY(row.text().ends_with("; breakpoint 499 was not met"));
        QVERIFY(is_same(from_bytes<Said>(to_bytes(row)), row));
        QVERIFY(is_same(from_bytes<Said>(to_bytes(deep)), deep));
    }
    void bytes_bring_it_back() {
        for (const Said& said : {Said(), Said("plain"), engine::said("a form"), nested()})
            QVERIFY(is_same(from_bytes<Said>(to_bytes(said)), said));
    }
    void damaged_bytes_are_refused_or_another_sentence() {
        const std::string whole = to_bytes(nested());
        for (std::size_t size = 0; size < whole.size(); ++size)
            QVERIFY_THROWS_EXCEPTION(Error, from_bytes<Said>(std::string_view(whole).substr(0, size)));
        for (std::size_t at = 0; at < whole.size(); ++at) {
            for (const char byte : {'\0', '\1', '\x7f', '\xff'}) {
                std::string damaged = whole;
                damaged[at] = byte;
                try {
                    from_bytes<Said>(damaged);
                } catch (const Error& error) {
                    QCOMPARE(error.kind(), ErrorKind::File);
                }
            }
        }
    }
    void what_is_too_deep_is_refused() {
        // text, form, singular, count, and one part that is the same again.
        const auto level = [](bool has_part) {
            session::WireWriter out;
            for (int i = 0; i < 3; ++i) session::write_wire(out, std::string());
            session::write_wire(out, std::int64_t{-1});
            session::write_wire(out, std::uint64_t{has_part ? 1U : 0U});
            return out.take();
        };
        std::string bytes;
        for (int i = 0; i < 100000; ++i) bytes += level(true);
        bytes += level(false);
        QVERIFY_THROWS_EXCEPTION(Error, from_bytes<Said>(bytes));
        // A count of parts that are not there allocates nothing.
        std::string many = level(true);
        many.replace(many.size() - 8, 8, std::string(7, '\xff') + '\x0f');
        QVERIFY_THROWS_EXCEPTION(Error, from_bytes<Said>(many));
    }
};

QTEST_GUILESS_MAIN(TestSaid)
#include "test_said.moc"
