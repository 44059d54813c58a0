// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The wheel over a form scrolls the form: it changes no field that it happens to pass over.

class QApplication;

namespace loupe::views {

// From now on a field (a choice, a number, a slider) that is inside of something that scrolls takes the wheel only
// while it has the focus, which a click or a key gives it and the wheel does not. Said once an application, however
// often it is called; fields that are made later are meant too.
void guardFieldsFromWheel(QApplication& application);

}  // namespace loupe::views
