# SPDX-License-Identifier: Apache-2.0
Number = (int, float, complex)
Complex = (int, float, complex)
Real = (int, float)
Rational = (int,)
Integral = (int,)
