// SPDX-License-Identifier: Apache-2.0
#pragma once
// Formulas for one element are written once, for numbers and for Lanes: on Lanes the same text writes a list program,
// which a device runs over whole lists of tensors.

#include <cmath>
#include <vector>

#include "core/kernels/list_program.h"

namespace loupe {

// Writes a program step by step, each into a register of its own; finish() lets registers be used again.
class ListRecorder {
  public:
    explicit ListRecorder(int tensors, int scalars = 0);

    // The operand that is a number of the entry, in the order of the calls.
    int number(double value);
    // Scalars and what is made of them before all elements; after all number().
    int scalar(int i);
    int prologue(ListOp op, int a, int b = 0);
    int step(ListOp op, int a, int b = 0, int c = 0);
    // Tensor t gets the operand.
    void write(int t, int operand);

    // Throws Error (Internal) for one that needs more registers than there are.
    ListProgram finish() const;
    const std::vector<double>& numbers() const { return numbers_; }

  private:
    // Operands as they are written: elements, numbers, scalars and prologue apart, for their counts are not known yet.
    static constexpr int kScalars = 1 << 12, kPrologue = 1 << 13, kNumbers = 1 << 14;
    struct Step {
        ListOp op;
        int a, b, c;
    };

    int tensors_, scalars_;
    std::vector<double> numbers_;
    std::vector<Step> prologue_, steps_;
    std::vector<int> results_;
};

// What a comparison of Lanes gives.
class LaneMask {
  public:
    LaneMask(ListRecorder* recorder, int operand) : recorder_(recorder), operand_(operand) {}
    int operand() const { return operand_; }
    ListRecorder* recorder() const { return recorder_; }
    friend LaneMask operator||(const LaneMask& a, const LaneMask& b) {
        return {a.recorder_, a.recorder_->step(ListOp::Or, a.operand_, b.operand_)};
    }

  private:
    ListRecorder* recorder_;
    int operand_;
};

// A register of a program that is being written, or a number. Number: float or double.
template <typename Number>
class Lanes {
  public:
    Lanes() = default;
    explicit Lanes(double number) : number_(static_cast<Number>(number)) {}
    Lanes(ListRecorder& recorder, int operand) : recorder_(&recorder), operand_(operand) {}

    bool is_number() const { return recorder_ == nullptr; }
    int operand_of(ListRecorder& recorder) const {
        return is_number() ? recorder.number(static_cast<double>(number_)) : operand_;
    }

    friend Lanes operator+(const Lanes& a, const Lanes& b) {
        if (a.is_number() && b.is_number()) return of(a.number_ + b.number_);
        return step(ListOp::Add, a, b);
    }
    friend Lanes operator-(const Lanes& a, const Lanes& b) {
        if (a.is_number() && b.is_number()) return of(a.number_ - b.number_);
        return step(ListOp::Sub, a, b);
    }
    friend Lanes operator*(const Lanes& a, const Lanes& b) {
        if (a.is_number() && b.is_number()) return of(a.number_ * b.number_);
        return step(ListOp::Mul, a, b);
    }
    friend Lanes operator/(const Lanes& a, const Lanes& b) {
        if (a.is_number() && b.is_number()) return of(a.number_ / b.number_);
        return step(ListOp::Div, a, b);
    }
    Lanes operator-() const { return step(ListOp::Neg, *this, *this); }
    Lanes& operator+=(const Lanes& other) { return *this = *this + other; }
    Lanes& operator-=(const Lanes& other) { return *this = *this - other; }
    Lanes& operator*=(const Lanes& other) { return *this = *this * other; }

    friend LaneMask operator>(const Lanes& a, const Lanes& b) { return compared(ListOp::Greater, a, b); }
    friend LaneMask operator<(const Lanes& a, const Lanes& b) { return compared(ListOp::Less, a, b); }
    friend LaneMask operator!=(const Lanes& a, const Lanes& b) { return compared(ListOp::NotEqual, a, b); }
    friend LaneMask operator>(const Lanes& a, int b) { return a > Lanes(static_cast<double>(b)); }
    friend LaneMask operator<(const Lanes& a, int b) { return a < Lanes(static_cast<double>(b)); }

    friend Lanes square_root(const Lanes& x) {
        return x.is_number() ? of(std::sqrt(x.number_)) : step(ListOp::Sqrt, x, x);
    }
    friend Lanes magnitude(const Lanes& x) { return x.is_number() ? of(std::abs(x.number_)) : step(ListOp::Abs, x, x); }
    friend Lanes choose(const LaneMask& mask, const Lanes& yes, const Lanes& no) {
        ListRecorder& recorder = *mask.recorder();
        const int first = yes.operand_of(recorder), second = no.operand_of(recorder);
        return Lanes(recorder, recorder.step(ListOp::Choose, mask.operand(), first, second));
    }

  private:
    static Lanes of(Number number) { return Lanes(static_cast<double>(number)); }
    static Lanes step(ListOp op, const Lanes& a, const Lanes& b) {
        ListRecorder& recorder = a.is_number() ? *b.recorder_ : *a.recorder_;
        const int first = a.operand_of(recorder), second = b.operand_of(recorder);
        return Lanes(recorder, recorder.step(op, first, second));
    }
    static LaneMask compared(ListOp op, const Lanes& a, const Lanes& b) {
        const Lanes result = step(op, a, b);
        return {result.recorder_, result.operand_};
    }

    ListRecorder* recorder_ = nullptr;
    int operand_ = 0;
    Number number_ = 0;
};

inline float square_root(float x) { return std::sqrt(x); }
inline double square_root(double x) { return std::sqrt(x); }
inline float magnitude(float x) { return std::abs(x); }
inline double magnitude(double x) { return std::abs(x); }
template <typename T>
T choose(bool condition, const T& yes, const T& no) {
    return condition ? yes : no;
}

}  // namespace loupe
