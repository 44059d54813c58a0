# SPDX-License-Identifier: Apache-2.0
class Loader:
    pass


class MetaPathFinder:
    pass


Traversable = Loader
