# SPDX-License-Identifier: Apache-2.0
from torch import __version__

cuda = None
hip = None
debug = False
git_version = ''
xpu = None
