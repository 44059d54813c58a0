# SPDX-License-Identifier: Apache-2.0
# A loop as Lightning's Trainer runs it on one device: train, validate, test, predict.
import random
import torch

_logged = {}  # name: the last value, of the step under way


def report_value(name, value):
    """What a module logs: the curves of training take it."""
    number = value.item() if isinstance(value, torch.Tensor) and value.numel() == 1 else value
    if isinstance(number, (int, float)):
        _logged[name] = float(number)
        from torch.utils.tensorboard import report_scalar
        report_scalar(name, float(number), None)


def seed_everything(seed=0, workers=False, verbose=True):
    random.seed(seed)
    torch.manual_seed(seed)
    import numpy
    numpy.random.seed(seed)
    return seed


def _configured(made):
    """(optimizers, [(schedule, its interval, what it monitors)]) of what configure_optimizers returns."""
    if made is None:
        return [], []
    if isinstance(made, torch.optim.Optimizer):
        return [made], []
    if isinstance(made, dict):
        made = [made]
    optimizers, schedules = made, []
    if isinstance(made, (list, tuple)) and len(made) == 2 and isinstance(made[0], (list, tuple)):
        optimizers, schedules = made
    elif isinstance(made, (list, tuple)) and made and isinstance(made[0], dict):
        optimizers = [each['optimizer'] for each in made]
        schedules = [each['lr_scheduler'] for each in made if each.get('lr_scheduler') is not None]
    found = []
    for each in schedules:
        options = each if isinstance(each, dict) else {'scheduler': each}
        found.append((options['scheduler'], options.get('interval', 'epoch'), options.get('monitor')))
    return list(optimizers), found


class Trainer:
    def __init__(self, *, accelerator='auto', devices='auto', max_epochs=None, max_steps=-1, callbacks=None, logger=None,
                 limit_train_batches=None, limit_val_batches=None, gradient_clip_val=None, accumulate_grad_batches=1,
                 fast_dev_run=False, **others):
        self.max_epochs = 1 if fast_dev_run else max_epochs
        self.max_steps = 1 if fast_dev_run else max_steps
        self.callbacks = [] if callbacks is None else callbacks if isinstance(callbacks, list) else [callbacks]
        self.logger = logger
        self.limit_train_batches = limit_train_batches
        self.limit_val_batches = limit_val_batches
        self.gradient_clip_val = gradient_clip_val
        self.accumulate_grad_batches = accumulate_grad_batches
        self.current_epoch = self.global_step = 0
        self.optimizers, self.schedulers = [], []
        self.training = self.sanity_checking = False
        self.world_size = self.num_devices = 1
        self.is_global_zero = True
        self.should_stop = False

    @property
    def callback_metrics(self):
        return {name: torch.tensor(value) for name, value in _logged.items()}

    logged_metrics = progress_bar_metrics = callback_metrics

    def _call(self, model, hook, *args):
        for each in self.callbacks:
            getattr(each, hook, lambda *_: None)(self, model, *args)
        getattr(model, hook, lambda *_: None)(*args)

    def fit(self, model, train_dataloaders=None, val_dataloaders=None, datamodule=None, ckpt_path=None):
        model.trainer = self
        if datamodule is not None:
            datamodule.prepare_data()
            datamodule.setup('fit')
        source = datamodule if datamodule is not None else model
        train = train_dataloaders if train_dataloaders is not None else source.train_dataloader()
        validation = val_dataloaders if val_dataloaders is not None else getattr(source, 'val_dataloader', lambda: None)()
        self.optimizers, schedules = _configured(model.configure_optimizers())
        self.schedulers = [each[0] for each in schedules]
        self._call(model, 'on_fit_start')
        self._call(model, 'on_train_start')
        epochs = self.max_epochs if self.max_epochs is not None else (1000 if self.max_steps < 0 else 1 << 30)
        while self.current_epoch < epochs and not self.should_stop and not 0 <= self.max_steps <= self.global_step:
            model.current_epoch = self.current_epoch
            model.train()
            self.training = True
            self._call(model, 'on_train_epoch_start')
            for index, batch in enumerate(train):
                if self.limit_train_batches is not None and index >= self.limit_train_batches:
                    break
                self._step(model, batch, index, schedules)
                if 0 <= self.max_steps <= self.global_step:
                    break
            if validation is not None:
                self._evaluate(model, validation, 'validation')
                model.train()
            self._call(model, 'on_train_epoch_end')
            self._schedule(schedules, 'epoch')
            self.current_epoch += 1
        self.training = False
        self._call(model, 'on_train_end')
        self._call(model, 'on_fit_end')

    def _step(self, model, batch, index, schedules):
        self._call(model, 'on_train_batch_start', batch, index)
        out = model.training_step(batch, index)
        loss = out['loss'] if isinstance(out, dict) else out
        if loss is not None and model.automatic_optimization:
            model.on_before_backward(loss)
            model.backward(loss / self.accumulate_grad_batches)
            model.on_after_backward()
            if (index + 1) % self.accumulate_grad_batches == 0:
                for optimizer in self.optimizers:
                    model.on_before_optimizer_step(optimizer)
                    model.clip_gradients(optimizer, self.gradient_clip_val)
                    model.optimizer_step(self.current_epoch, index, optimizer)
                    model.optimizer_zero_grad(self.current_epoch, index, optimizer)
                self._schedule(schedules, 'step')
        self.global_step += 1
        model.global_step = self.global_step
        self._call(model, 'on_train_batch_end', out, batch, index)

    def _schedule(self, schedules, interval):
        for schedule, own, monitor in schedules:
            if own == interval:
                schedule.step(_logged[monitor]) if monitor in _logged else schedule.step()

    def _evaluate(self, model, loader, kind):
        model.eval()
        self._call(model, f'on_{kind}_epoch_start')
        step = getattr(model, f'{kind}_step')
        with torch.no_grad():
            for index, batch in enumerate(loader):
                if self.limit_val_batches is not None and index >= self.limit_val_batches:
                    break
                step(batch, index)
        self._call(model, f'on_{kind}_epoch_end')

    def validate(self, model, dataloaders=None, datamodule=None, **others):
        model.trainer = self
        self._evaluate(model, dataloaders if dataloaders is not None else (datamodule or model).val_dataloader(), 'validation')
        return [dict(_logged)]

    def test(self, model, dataloaders=None, datamodule=None, **others):
        model.trainer = self
        self._evaluate(model, dataloaders if dataloaders is not None else (datamodule or model).test_dataloader(), 'test')
        return [dict(_logged)]

    def predict(self, model, dataloaders=None, datamodule=None, **others):
        model.trainer = self
        model.eval()
        loader = dataloaders if dataloaders is not None else (datamodule or model).predict_dataloader()
        with torch.no_grad():
            return [model.predict_step(batch, index) for index, batch in enumerate(loader)]

    def save_checkpoint(self, filepath, weights_only=False):
        raise NotImplementedError('write the model with torch.save')
