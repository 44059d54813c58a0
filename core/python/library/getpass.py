# SPDX-License-Identifier: Apache-2.0
def getuser(): return 'user'
