// SPDX-License-Identifier: Apache-2.0
// The pictures were written by Pillow (make_arrays.py), which also gave the expected values.
#include "core/formats/image/image.h"
#include "core/formats/numpy/npy.h"
#include "tests/formats/formats_test.h"

using namespace loupe;
using Bytes = std::vector<std::uint8_t>;

namespace {

// [1, C, H, W] as rows of pixels.
Bytes interleaved(const Tensor& image) {
    Bytes out;
    const auto planes = elements<std::uint8_t>(image);
    const auto area = static_cast<std::size_t>(image.size(2) * image.size(3));
    for (std::size_t i = 0; i < area; ++i) {
        for (std::size_t c = 0; c < planes.size() / area; ++c) out.push_back(planes[c * area + i]);
    }
    return out;
}

}  // namespace

class TestImage : public QObject {
    Q_OBJECT

    const Bytes rgb_{255, 0, 0, 0, 255, 0, 0, 0, 255, 10, 20, 30, 255, 255, 255, 0, 0, 0};
    const Bytes luma_{76, 150, 29, 18, 255, 0};
    const Bytes red_{255, 0, 0, 10, 255, 0};

  private slots:
    void reads_png() {
        const Tensor image = read_image(array_file("rgb.png"));
        QCOMPARE(describe(image), std::string("uint8 1x3x3x2"));
        QCOMPARE(interleaved(image), rgb_);
        QCOMPARE(interleaved(read_image(array_file("grey.png"))), red_);
        QCOMPARE(interleaved(read_image(array_file("grey16.png"))), red_);
        QCOMPARE(describe(read_image(array_file("rgba.png"))), std::string("uint8 1x4x3x2"));
        QCOMPARE(describe(read_image(array_file("palette.png"))), std::string("uint8 1x3x3x2"));
    }

    void converts_channels() {
        QCOMPARE(interleaved(read_image(array_file("rgb.png"), ImageChannels::Grey)), luma_);
        QCOMPARE(interleaved(read_image(array_file("rgba.png"), ImageChannels::Rgb)), rgb_);
        QCOMPARE(interleaved(read_image(array_file("rgba.png"), ImageChannels::Grey)), luma_);
        const Bytes spread{255, 255, 255, 0, 0, 0, 0, 0, 0, 10, 10, 10, 255, 255, 255, 0, 0, 0};
        QCOMPARE(interleaved(read_image(array_file("grey.png"), ImageChannels::Rgb)), spread);
        QCOMPARE(elements<float>(image_to_float(read_image(array_file("grey.png"))))[3], 10.0f / 255.0f);
    }

    void reads_jpeg() {
        for (const std::string name : {"grey.jpg", "rgb.jpg"}) {
            const auto expected = elements<std::uint8_t>(read_npy(array_file(name + ".npy")));
            QCOMPARE(interleaved(read_image(array_file(name))), expected);
        }
    }

    void refuses_damage() {
        const Scratch scratch;
        for (const std::string name : {"rgb.png", "rgb.jpg"}) {
            const std::string good = read_text_file(array_file(name));
            for (std::size_t size = 0; size < good.size(); size += 7) {
                const auto path = scratch.write(name, good.substr(0, size));
                QVERIFY2(error_of([&] { read_image(path); }).starts_with(name + ": "), std::to_string(size).c_str());
            }
        }
        QCOMPARE(error_of([] { read_image(array_file("stored.npz")); }),
                 std::string("stored.npz: neither a PNG nor a JPEG image"));
    }
};

QTEST_GUILESS_MAIN(TestImage)
#include "test_image.moc"
