# SPDX-License-Identifier: Apache-2.0
from torch.utils.tensorboard import SummaryWriter


class Logger:
    def __init__(self, *args, **kwargs):
        self.experiment = SummaryWriter()

    def log_metrics(self, metrics, step=None):
        for name, value in metrics.items():
            self.experiment.add_scalar(name, value, step)

    def log_hyperparams(self, params, *args, **kwargs):
        pass


class TensorBoardLogger(Logger):
    pass


class CSVLogger(Logger):
    pass


class WandbLogger(Logger):
    pass
