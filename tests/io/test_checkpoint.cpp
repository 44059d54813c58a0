// SPDX-License-Identifier: Apache-2.0
#include <complex>

#include "core/autograd/variable.h"
#include "core/io/checkpoint.h"
#include "core/io/zip_writer.h"
#include "tests/io/io_test.h"

using namespace loupe;
using namespace std::string_literals;

namespace {

// A tensor of PyTorch beside the array numpy wrote of it (bfloat16 as float32).
void compare(const Tensor& t, const Tensor& array) {
    QCOMPARE(shape_text(t.sizes()), shape_text(array.sizes()));
    if (t.dtype() == ScalarType::BFloat16) {
        const auto values = elements<BFloat16>(t);
        QCOMPARE(std::vector<float>(values.begin(), values.end()), elements<float>(array));
        return;
    }
    QCOMPARE(t.dtype(), array.dtype());
    visit_dtype(t.dtype(), [&]<typename T>(std::type_identity<T>) { QVERIFY(elements<T>(t) == elements<T>(array)); });
}

}  // namespace

class TestCheckpoint : public QObject {
    Q_OBJECT

    Scratch scratch_;

    std::string checkpoint_error(const std::string& pickle, ErrorKind* kind = nullptr) {
        ZipWriter writer(scratch_.path("c.pt"));
        writer.add("archive/data.pkl", "\x80\x02"s + pickle + ".");
        writer.finish();
        return error_of([&] { read_checkpoint(scratch_.path("c.pt")); }, kind);
    }

  private slots:
    void reads_weights_data() {
        QTest::addColumn<QString>("file");
        for (const char* file : {"autoencoder_weights.pt", "autoencoder_weights_legacy.pth", "storages_weights.pt",
                                 "storages_weights_legacy.pth"}) {
            QTest::newRow(file) << file;
        }
    }
    void reads_weights() {
        QFETCH(QString, file);
        const std::string name = "checkpoints/" + file.toStdString();
        const auto weights = read_weights(fixture(name));
        const auto arrays = read_npz(fixture(name.substr(0, name.find('.')) + ".npz"));
        QCOMPARE(weights.size(), arrays.size());
        for (const auto& [key, array] : arrays) {
            const auto same = [&key = key](const auto& named) { return named.first == key; };
            const auto found = std::find_if(weights.begin(), weights.end(), same);
            QVERIFY2(found != weights.end(), key.c_str());
            compare(found->second, array);
        }
    }

    void reads_any_value() {
        const IValue pair = read_checkpoint(fixture("checkpoints/tensors.pt"));
        QVERIFY(pair.is_tuple());
        const auto arrays = read_npz(fixture("checkpoints/tensors.npz"));
        compare(pair.to_tuple().elements.at(0).to_tensor(), arrays[0].second);
        compare(pair.to_tuple().elements.at(1).to_tensor(), arrays[1].second);

        const IValue training = read_checkpoint(fixture("checkpoints/training.pt"));
        QCOMPARE(training.to_dict().find("epoch")->to_int(), std::int64_t{3});
        QCOMPARE(training.to_dict().find("best")->to_double(), 0.25);
        QCOMPARE(training.to_dict().find("name")->to_string(), "run 1"s);
        QCOMPARE(training.to_dict().find("history")->to_doubles(), (std::vector<double>{1.0, 0.5}));
        QCOMPARE(python_repr(*training.to_dict().find("layers")), "{'a': (1, None, True)}"s);
        const auto weights = read_weights(fixture("checkpoints/training.pt"));
        const auto expected = read_npz(fixture("checkpoints/training.npz"));
        QCOMPARE(weights.size(), expected.size());
        QCOMPARE("model." + weights[0].first, expected[0].first);
    }

    void refuses_classes() {
        ErrorKind kind{};
        QCOMPARE(checkpoint_error("cos\nsystem\nX\x04\x00\x00\x00"s + "true\x85R", &kind),
                 "c.pt: refers to 'os.system', which is not supported"s);
        QCOMPARE(kind, ErrorKind::Unsupported);
        QCOMPARE(checkpoint_error("c__main__\nNet\n)\x81}b"),
                 "c.pt: refers to '__main__.Net', which is not supported"s);
        QCOMPARE(checkpoint_error("cos\nsystem\n"), "c.pt: refers to 'os.system', which is not supported"s);
    }

    void refuses_what_has_no_end() {
        const auto depth = std::size_t{100'000};
        QCOMPARE(checkpoint_error(std::string(depth, ']') + std::string(depth - 1, 'a')),
                 "c.pt: values nest more than 400 deep"s);
        QCOMPARE(checkpoint_error("]q\x00h\x00"s + "a"), "c.pt: a value contains itself"s);
        // 60 times (x, x): more values than anyone could visit.
        std::string doubling = "K\x01";
        for (int i = 0; i < 60; ++i) doubling += "2\x86";
        QCOMPARE(checkpoint_error(doubling), "c.pt: values unfold to more than 50000000"s);
        QCOMPARE(checkpoint_error("}]K\x01s"), "c.pt: unhashable type: 'List[Any]'"s);
    }

    void says_what_is_no_checkpoint() {
        QCOMPARE(error_of([&] { read_checkpoint(scratch_.write("a.txt", "hello")); }),
                 "a.txt: nothing that torch.save writes"s);
        const std::string legacy = read_text_file(fixture("checkpoints/autoencoder_weights_legacy.pth"));
        for (std::size_t size = 15; size < legacy.size(); size += 101) {
            const auto line = error_of([&] { read_checkpoint(scratch_.write("short.pth", legacy.substr(0, size))); });
            QVERIFY2(line.starts_with("short.pth: truncated: "), line.c_str());
        }
    }
};

QTEST_GUILESS_MAIN(TestCheckpoint)
#include "test_checkpoint.moc"
