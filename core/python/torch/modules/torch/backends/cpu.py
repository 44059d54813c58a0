# SPDX-License-Identifier: Apache-2.0
def get_cpu_capability():
    return 'DEFAULT'
