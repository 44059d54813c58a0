# SPDX-License-Identifier: Apache-2.0
class Callback:
    pass


class _Kept(Callback):
    """A callback whose settings are kept; it does nothing."""

    def __init__(self, *args, **kwargs):
        self.__dict__.update(kwargs)


class ModelCheckpoint(_Kept):
    best_model_path = ''


class EarlyStopping(_Kept):
    pass


class LearningRateMonitor(_Kept):
    pass


class RichProgressBar(_Kept):
    pass


class TQDMProgressBar(_Kept):
    pass


class BasePredictionWriter(_Kept):
    pass


class Timer(_Kept):
    pass
