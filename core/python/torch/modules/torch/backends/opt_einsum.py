# SPDX-License-Identifier: Apache-2.0
def is_available():
    return False

enabled = False
strategy = None
