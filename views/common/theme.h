// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Colours and fonts of the program, dark and light. Views get colours by role when they paint, and repaint on
// changed().

#include <QBrush>
#include <QColor>
#include <QFont>
#include <QObject>
#include <QVariant>

#include "core/record/recording.h"

namespace loupe::views {

class Theme : public QObject {
    Q_OBJECT

  public:
    enum class Mode { System, Dark, Light };
    enum class Colour {
        Window,  // the background
        Panel,   // of lists and canvases
        Raised,  // headers, buttons, boxes on a canvas
        Border,
        Grid,  // lines inside a plot or a table
        Text,
        Faint,       // secondary text
        Accent,      // selection, links, the current event
        AccentBack,  // a row or line that is current
        Reached,     // where the engine is parked
        ReachedBack,
        Good,
        Warning,
        Bad,  // NaN, Inf, errors
        BadBack,
    };

    // Groups of operators by colour.
    enum class Family { Convolution, MatrixProduct, Normalisation, Activation, Pooling, Lookup, Arithmetic, Other };
    static constexpr int kFamilies = 8;

    static Theme& instance();

    Mode mode() const { return mode_; }
    // Sets palette, fonts and style sheet of the application.
    void setMode(Mode mode);
    bool isDark() const { return dark_; }
    // Black and white grounds, no faint text.
    void setContrast(bool isHigh);

    QColor colour(Colour role) const;
    // An item's ForegroundRole or BackgroundRole by name: the colour is looked up whenever the item is painted, so that
    // it is the theme's of then.
    static QVariant themed(Colour role);
    // The colour of a label's words, likewise: Text, Faint, Accent, Good, Warning or Bad.
    static void setTone(QWidget& label, Colour role);
    // Where an edited source took hold of a run.
    QColor edited() const { return series(3); }
    QColor phase(session::RunPhase phase) const;
    QColor category(session::Category category) const;
    QColor dtype(std::string_view dtype) const;
    // Eight colours for series, colour-blind safe (Okabe and Ito), as far as possible apart; index wraps.
    QColor series(int index) const;
    // A fixed colour per kind of operator: convolutions, matrix products, activations, ...
    QColor operatorKind(std::string_view op) const { return family(familyOf(op)); }
    static Family familyOf(std::string_view op);
    static QString familyName(Family family);
    QColor family(Family family) const;

    // Hatching of the part of a bar or histogram for NaN and Inf.
    QBrush notFinite() const;

    QFont uiFont() const;
    QFont monoFont() const;
    // Family for editors that accept a family only, without ligatures for "->" and "!=".
    QFont codeFont() const;

  signals:
    void changed();

  private:
    Theme();
    void apply();

    Mode mode_ = Mode::System;
    bool dark_ = true;
    bool has_high_contrast_ = false;
};

}  // namespace loupe::views
