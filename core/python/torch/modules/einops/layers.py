# SPDX-License-Identifier: Apache-2.0
# Layers of frameworks: torch alone.
