// SPDX-License-Identifier: Apache-2.0
// Modules of Lightning, and what programs report over their steps, in a session.
#include <QTemporaryDir>
#include <QtTest>

#include "core/base/file.h"
#include "core/formats/numpy/npy.h"
#include "core/model/program.h"
#include "core/session/session.h"
#include "core/train/trainer.h"

using namespace loupe;
using namespace loupe::session;

namespace {

constexpr const char* kLit = R"(import torch
import torch.nn.functional as F
from torch import nn
import lightning.pytorch as pl


class Base(pl.LightningModule):
    def __init__(self, width=3, **others):
        super().__init__()
        self.save_hyperparameters(ignore=['loss'])
        self.inner = nn.Linear(2, width)


class Lit(Base):
    def __init__(self, lr: float = 0.5, loss=None, tag='a'):
        super().__init__(width=4)
        self.head = nn.Linear(4, 1)
        with torch.no_grad():
            for each in self.parameters():
                each.fill_(0.25)

    def forward(self, x):
        return self.head(self.inner(x))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.mse_loss(self(x).reshape(-1), y.reshape(-1))
        self.log('train/loss', loss)
        self.log_dict({'index': batch_idx, 'lr': self.hparams.lr})
        return {'loss': loss}

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=self.hparams.lr)
        return {'optimizer': optimizer, 'lr_scheduler': {'scheduler': torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.1),
                                                          'interval': 'step'}}


model = Lit()
)";

constexpr const char* kOwnLoop = R"(import torch
from torch import nn
from torch.utils.tensorboard import SummaryWriter

model = nn.Linear(1, 1)
writer = SummaryWriter()
for step in range(3):
    writer.add_scalar('loss', 2.0 ** -step, step)
    writer.add_histogram('weights', torch.tensor([-1.0, 0.0, 4.0]), step)
writer.add_scalars('both', {'a': 1.0})
writer.close()


class Net(nn.Module):
    def forward(self, x):
        return x
)";

}  // namespace

class TestLightning : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::string write(const char* name, const std::string& text) const {
        const std::string path = folder_.filePath(name).toStdString();
        write_file_atomically(path, text);
        return path;
    }

  private slots:
    // Loss, optimiser, schedule and logged values are the module's own.
    void trainsByItsOwnSteps() {
        const auto program = Program::open(write("lit.py", kLit));
        TrainOptions options;
        options.data.shape = {2};
        options.data.count = 8;
        options.data.classes = 0;
        options.loss = "own";
        options.optimizer = "own";
        options.batch_size = 4;
        options.epochs = 1;
        Trainer trainer(program, options);
        trainer.begin();
        std::vector<TrainingStep> steps;
        while (!trainer.is_done()) {
            QCOMPARE(trainer.compute(), std::string());
            steps.push_back(trainer.update());
            trainer.end_epoch();
        }
        trainer.rest();
        QCOMPARE(steps.size(), 2U);
        QCOMPARE(steps[0].learning_rate, 0.5);
        QCOMPARE(steps[1].learning_rate, 0.05);
        const auto reported = trainer.log()->reported();
        QCOMPARE(reported.size(), 3U);
        QCOMPARE(reported[0].tag, std::string("train/loss"));
        QCOMPARE(reported[0].points.size(), 2U);
        QCOMPARE(reported[0].points[1].step, std::int64_t{2});
        QCOMPARE(reported[0].points[0].value, steps[0].loss);
        QCOMPARE(reported[2].points[0].value, 0.5);
    }

    void reportsOfASourceAreATraining() {
        Session session;
        session.open(write("own_loop.py", kOwnLoop));
        session.wait_idle();
        QVERIFY2(session.status().state == RunState::Ready, session.status().error.c_str());
        const auto log = session.training();
        QVERIFY(log != nullptr);
        const auto curves = log->reported();
        QCOMPARE(curves.size(), 3U);
        QCOMPARE(curves[0].points.size(), 3U);
        QCOMPARE(curves[0].points[2].value, 0.25);
        QVERIFY(curves[1].is_histogram && !curves[0].is_histogram);
        QCOMPARE(curves[1].points[0].low, -1.0);
        QCOMPARE(curves[1].points[0].high, 4.0);
        QCOMPARE(curves[1].points[0].value, 1.0);
        QCOMPARE(curves[2].tag, std::string("both/a"));
        QCOMPARE(curves[2].points[0].step, std::int64_t{0});
    }
};

QTEST_GUILESS_MAIN(TestLightning)
#include "test_lightning.moc"
