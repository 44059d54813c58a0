// SPDX-License-Identifier: Apache-2.0
// Memory snapshots of PyTorch's allocator (fixtures/profiler, make_profiler.py), and damaged ones.
#include <nlohmann/json.hpp>

#include "core/formats/profiler/snapshot_reader.h"
#include "core/study/snapshot_history.h"
#include "tests/formats/formats_test.h"

using namespace loupe;

namespace {

MemorySnapshot read(const std::string& name) {
    return read_memory_snapshot(MappedFile::open(fixture("profiler/" + name)));
}

// Pickles of protocol 4, by hand.
std::string text(const std::string& value) { return std::string("\x8c") + static_cast<char>(value.size()) + value; }
std::string number(std::int64_t value) {
    std::string out("\x8a\x08", 2);
    for (int i = 0; i < 8; ++i) out += static_cast<char>(value >> (8 * i));
    return out;
}
std::string dict(const std::vector<std::pair<std::string, std::string>>& items) {
    std::string out = "}(";
    for (const auto& [key, value] : items) out += text(key) + value;
    return out + "u";
}
std::string entry(const std::string& action, std::int64_t addr, std::int64_t size) {
    return dict({{"action", text(action)}, {"addr", number(addr)}, {"size", number(size)}});
}
std::string list(const std::string& elements) { return elements.empty() ? "]" : "](" + elements + "e"; }
std::string snapshot(const std::string& entries) {
    return std::string("\x80\x04") + dict({{"segments", "]"}, {"device_traces", list(list(entries))}}) + ".";
}

}  // namespace

class TestSnapshotReader : public QObject {
    Q_OBJECT

  private:
    QTemporaryDir folder_;

    MemorySnapshot of(const std::string& bytes) {
        const auto path = std::filesystem::path(folder_.path().toStdString()) / "s.pickle";
        write_file_atomically(path, bytes);
        return read_memory_snapshot(MappedFile::open(path));
    }
    std::string refusal(const std::string& bytes) {
        try {
            of(bytes);
        } catch (const Error& error) {
            return error.message();
        }
        return "read";
    }

  private slots:
    void peak_and_holders_are_memory_vizs_data() {
        QTest::addColumn<QString>("file");
        QTest::newRow("before") << "before.pickle";
        QTest::newRow("after, with a leak and out of memory") << "after.pickle";
    }
    void peak_and_holders_are_memory_vizs() {
        QFETCH(QString, file);
        const auto all = nlohmann::json::parse(read_text_file(fixture("profiler/expected.json")));
        const nlohmann::json& expected = all[file.toStdString()];
        const MemorySnapshot snapshot = read(file.toStdString());
        QVERIFY(snapshot.notes.empty());
        QCOMPARE(snapshot.devices.size(), std::size_t{2});
        QCOMPARE(snapshot.entry_count(), expected["entries"].get<std::size_t>());
        const auto history = session::snapshot_histories(snapshot).front();
        QVERIFY(history.notes.empty());
        QCOMPARE(history.peak_bytes(), expected["peak"].get<std::int64_t>());
        QCOMPARE(history.peak, expected["step"].get<std::uint32_t>());
        const auto holders = session::holders_at(snapshot, history, history.peak, session::HolderKind::OwnCode);
        QCOMPARE(holders.size(), expected["held"].size());
        for (const auto& holder : holders) QCOMPARE(holder.bytes, expected["held"][holder.where].get<std::int64_t>());
        // Active memory lies in the segments.
        for (std::uint32_t step = 0; step < history.steps(); ++step) {
            std::int64_t reserved = 0;
            for (const auto& span : session::segments_at(snapshot, history, step)) reserved += span.size;
            QCOMPARE(reserved, history.reserved[step]);
            QVERIFY(reserved >= history.active[step]);
        }
    }
    // Where no frame is the user's own: what says most.
    void stacks_without_own_code_are_named_data() {
        QTest::addColumn<QStringList>("frames");  // the innermost first: file, function, ...
        QTest::addColumn<QString>("name");
        const QString unwind = QStringLiteral("torch::unwind::unwind()");
        QTest::newRow("backward") << QStringList{"??",
                                                 unwind,
                                                 "",
                                                 "at::_ops::nll_loss_backward::call(at::Tensor const&)",
                                                 "??",
                                                 "torch::autograd::generated::NllLossBackward0::apply(std::vector)"}
                                  << "backward: NllLossBackward0";
        QTest::newRow("library") << QStringList{"??", unwind, "/opt/site-packages/torch/optim/adam.py", "step"}
                                 << "adam.py:7 step";
        QTest::newRow("operator") << QStringList{"??", unwind,
                                                 "??", "at::_ops::empty::call(long)",
                                                 "??", "at::_ops::add_Tensor::call(at::Tensor const&)",
                                                 "??", "main"}
                                  << "aten::add_Tensor";
        QTest::newRow("nothing") << QStringList{"??", unwind, "??", "main"} << unwind;
        QTest::newRow("own") << QStringList{"??", "torch::autograd::generated::MulBackward0::apply(x)",
                                            "/home/user/model.py", "forward"}
                             << "model.py:7 forward";
    }
    void stacks_without_own_code_are_named() {
        QFETCH(QStringList, frames);
        QFETCH(QString, name);
        MemorySnapshot snapshot;
        snapshot.stacks.resize(1);
        SnapshotStack stack;
        for (qsizetype i = 0; i < frames.size(); i += 2) {
            SnapshotFrame frame;
            frame.line = 7;
            frame.file = static_cast<std::uint32_t>(snapshot.texts.size());
            frame.function = frame.file + 1;
            snapshot.texts.push_back(frames[i].toStdString());
            snapshot.texts.push_back(frames[i + 1].toStdString());
            snapshot.stack_frames.push_back(stack.count++);
            snapshot.frames.push_back(frame);
        }
        snapshot.stacks.push_back(stack);
        QCOMPARE(QString::fromStdString(own_frame_text(snapshot, 1)), name);
    }
    void equal_stacks_are_one() {
        const MemorySnapshot snapshot = read("before.pickle");
        QVERIFY(snapshot.stacks.size() < 20);
        QVERIFY(snapshot.frames.size() < 5000);
    }
    void out_of_memory_is_marked() {
        const MemorySnapshot snapshot = read("after.pickle");
        const auto history = session::snapshot_histories(snapshot).front();
        QCOMPARE(history.out_of_memory.size(), std::size_t{1});
        const SnapshotEntry& entry = snapshot.devices[0].entries[history.out_of_memory[0] - 1];
        QCOMPARE(entry.size, std::int64_t{1} << 30);
        QCOMPARE(entry.address, std::uint64_t{300} << 20);
    }
    void what_grew_is_named() {
        const MemorySnapshot before = read("before.pickle");
        const MemorySnapshot after = read("after.pickle");
        const auto one = session::snapshot_histories(before).front();
        const auto other = session::snapshot_histories(after).front();
        const auto rows =
            session::compare_holders(session::holders_at(before, one, one.peak, session::HolderKind::OwnCode),
                                     session::holders_at(after, other, other.peak, session::HolderKind::OwnCode));
        QCOMPARE(rows.front().where, std::string("model.py:31 log_loss"));
        QCOMPARE(std::string(rows.front().word()), std::string("added"));
        QCOMPARE(rows.front().change(), std::int64_t{12} * 512 * 1024);
    }
    void a_block_that_was_there_before_is_counted() {
        const MemorySnapshot read =
            of(snapshot(entry("alloc", 100, 10) + entry("free_completed", 500, 7) + entry("free_completed", 100, 10)));
        const auto history = session::snapshot_history(read, 0);
        QCOMPARE(history.active, (std::vector<std::int64_t>{7, 17, 10, 0}));
        QCOMPARE(history.peak, std::uint32_t{1});
    }
    void what_does_not_fit_together_is_said() {
        const MemorySnapshot read = of(snapshot(entry("alloc", 100, 10) + entry("alloc", 100, 20) +
                                                entry("free_completed", 100, 20) + entry("free_completed", 100, 20)));
        const auto history = session::snapshot_history(read, 0);
        QCOMPARE(history.active, (std::vector<std::int64_t>{0, 10, 20, 0, 0}));
        QCOMPARE(history.notes, (std::vector<std::string>{"1 allocation where a block was not freed yet",
                                                          "1 free of what was freed before"}));
    }
    void entries_that_are_none_are_counted() {
        const std::string odd = dict({{"action", number(3)}, {"size", number(1)}}) +
                                dict({{"action", text("alloc")}, {"addr", number(1)}}) + entry("alloc", 1, -5) +
                                entry("alloc", 1, std::int64_t{1} << 60) +
                                dict({{"action", text("alloc")}, {"size", number(1)}}) + "N" + entry("alloc", 1, 8);
        const MemorySnapshot read = of(snapshot(odd));
        QCOMPARE(read.entry_count(), std::size_t{1});
        QCOMPARE(read.notes,
                 (std::vector<std::string>{"6 entries left out: 2 of a size that no memory has, 1 that are no dicts, 1 "
                                           "whose action is no name, 1 without a size, 1 without an address"}));
    }
    void a_file_that_is_cut_off_gives_what_is_there() {
        const std::string whole = read_text_file(fixture("profiler/before.pickle"));
        const MemorySnapshot read = of(whole.substr(0, whole.size() / 2));
        QVERIFY(read.entry_count() > 50);
        QVERIFY(read.notes.front().starts_with("cut off: ends at byte "));
    }
    void nothing_is_called() {
        const std::string evil = std::string("\x80\x04") + "cos\nsystem\n" + text("true") + "\x85R.";
        QVERIFY(refusal(evil).find("holds a name or a call") != std::string::npos);
    }
    void what_is_no_snapshot_is_refused() {
        QVERIFY(
            refusal(std::string("\x80\x04") + dict({{"a", number(1)}}) + ".").starts_with("a pickle that holds no"));
        QVERIFY(refusal(std::string("\x80\x04]r\xff\xff\xff\xff.", 8)).find("out of order") != std::string::npos);
        QVERIFY(refusal(std::string("\x80\x04u.", 4)).find("no mark") != std::string::npos);
        QVERIFY(refusal(std::string("\x80\x04]u.", 5)).find("no mark") != std::string::npos);
        QVERIFY(refusal(std::string("\x80\x04(NNu.", 7)).find("fills nothing") != std::string::npos);
    }
    void a_list_of_segments_is_an_old_snapshot() {
        const std::string block = dict({{"size", number(512)}, {"state", text("active_allocated")}});
        const std::string segment =
            dict({{"address", number(4096)}, {"total_size", number(2048)}, {"blocks", list(block)}});
        const MemorySnapshot read = of(std::string("\x80\x04") + list(segment) + ".");
        QCOMPARE(read.segments.size(), std::size_t{1});
        const auto history = session::snapshot_histories(read).front();
        QCOMPARE(history.active, (std::vector<std::int64_t>{512}));
        QCOMPARE(history.reserved, (std::vector<std::int64_t>{2048}));
    }
};

QTEST_GUILESS_MAIN(TestSnapshotReader)
#include "test_snapshot_reader.moc"
