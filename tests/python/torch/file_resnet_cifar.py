'''Properly implemented ResNet for CIFAR10 style pictures: blocks with option A shortcuts.'''
import sys
import math
import argparse
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.nn.init as init
from torch.autograd import Variable

__all__ = ['ResNet', 'resnet8', 'resnet14']


def _weights_init(m):
    classname = m.__class__.__name__
    if isinstance(m, nn.Linear) or isinstance(m, nn.Conv2d):
        init.kaiming_normal_(m.weight)
    elif classname.find('BatchNorm') != -1:
        m.weight.data.fill_(1)
        m.bias.data.zero_()


class LambdaLayer(nn.Module):
    def __init__(self, lambd):
        super(LambdaLayer, self).__init__()
        self.lambd = lambd

    def forward(self, x):
        return self.lambd(x)


class BasicBlock(nn.Module):
    expansion = 1

    def __init__(self, in_planes, planes, stride=1, option='A'):
        super(BasicBlock, self).__init__()
        self.conv1 = nn.Conv2d(in_planes, planes, kernel_size=3, stride=stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(planes)
        self.conv2 = nn.Conv2d(planes, planes, kernel_size=3, stride=1, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(planes)
        self.shortcut = nn.Sequential()
        if stride != 1 or in_planes != planes:
            if option == 'A':
                """For CIFAR10 the paper uses option A."""
                self.shortcut = LambdaLayer(lambda x:
                                            F.pad(x[:, :, ::2, ::2], (0, 0, 0, 0, planes//4, planes//4), "constant", 0))
            elif option == 'B':
                self.shortcut = nn.Sequential(
                     nn.Conv2d(in_planes, self.expansion * planes, kernel_size=1, stride=stride, bias=False),
                     nn.BatchNorm2d(self.expansion * planes)
                )

    def forward(self, x):
        out = F.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        out += self.shortcut(x)
        out = F.relu(out)
        return out


class ResNet(nn.Module):
    def __init__(self, block, num_blocks, num_classes=10, option='A'):
        super(ResNet, self).__init__()
        self.in_planes = 8
        self.conv1 = nn.Conv2d(3, 8, kernel_size=3, stride=1, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(8)
        self.layer1 = self._make_layer(block, 8, num_blocks[0], stride=1, option=option)
        self.layer2 = self._make_layer(block, 16, num_blocks[1], stride=2, option=option)
        self.layer3 = self._make_layer(block, 32, num_blocks[2], stride=2, option=option)
        self.linear = nn.Linear(32, num_classes)
        self.apply(_weights_init)

    def _make_layer(self, block, planes, num_blocks, stride, option):
        strides = [stride] + [1]*(num_blocks-1)
        layers = []
        for stride in strides:
            layers.append(block(self.in_planes, planes, stride, option))
            self.in_planes = planes * block.expansion
        return nn.Sequential(*layers)

    def forward(self, x):
        out = F.relu(self.bn1(self.conv1(x)))
        out = self.layer1(out)
        out = self.layer2(out)
        out = self.layer3(out)
        out = F.avg_pool2d(out, out.size()[3])
        out = out.view(out.size(0), -1)
        out = self.linear(out)
        return out


def resnet8(**kw):
    return ResNet(BasicBlock, [1, 1, 1], **kw)


def resnet14(**kw):
    return ResNet(BasicBlock, [2, 2, 2], **kw)


class AverageMeter(object):
    """Computes and stores the average and current value"""
    def __init__(self, name, fmt=':f'):
        self.name = name
        self.fmt = fmt
        self.reset()

    def reset(self):
        self.val = 0
        self.avg = 0
        self.sum = 0
        self.count = 0

    def update(self, val, n=1):
        self.val = val
        self.sum += val * n
        self.count += n
        self.avg = self.sum / self.count

    def __str__(self):
        fmtstr = '{name} {val' + self.fmt + '} ({avg' + self.fmt + '})'
        return fmtstr.format(**self.__dict__)


def accuracy(output, target, topk=(1,)):
    """Computes the precision@k for the specified values of k"""
    with torch.no_grad():
        maxk = max(topk)
        batch_size = target.size(0)
        _, pred = output.topk(maxk, 1, True, True)
        pred = pred.t()
        correct = pred.eq(target.view(1, -1).expand_as(pred))
        res = []
        for k in topk:
            correct_k = correct[:k].reshape(-1).float().sum(0, keepdim=True)
            res.append(correct_k.mul_(100.0 / batch_size))
        return res


def test(net):
    total_params = 0
    for x in filter(lambda p: p.requires_grad, net.parameters()):
        total_params += math.prod(x.data.shape)
    print("Total number of params", total_params)
    print("Total layers", len(list(filter(lambda p: p.requires_grad and len(p.data.size()) > 1, net.parameters()))))


torch.manual_seed(0)
model = resnet8(option='A')
example_inputs = (torch.randn(2, 3, 16, 16),)

def main():
    parser = argparse.ArgumentParser(description='CIFAR training')
    parser.add_argument('--epochs', default=2, type=int, metavar='N', help='number of total epochs')
    parser.add_argument('--lr', '--learning-rate', default=0.1, type=float)
    parser.add_argument('--momentum', default=0.9, type=float, metavar='M')
    parser.add_argument('--weight-decay', '--wd', default=1e-4, type=float)
    parser.add_argument('--half', dest='half', action='store_true')
    parser.add_argument('--arch', choices=['resnet8', 'resnet14'], default='resnet8')
    args = parser.parse_args([])
    print(args)
    global model
    for net_name in __all__:
        if net_name.startswith('resnet'):
            print(net_name)
            test(globals()[net_name](option='B'))
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), args.lr, momentum=args.momentum, weight_decay=args.weight_decay)
    sched = torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[1, 3], last_epoch=-1)
    losses, top1 = AverageMeter('Loss', ':.4e'), AverageMeter('Acc@1', ':6.2f')
    x, y = Variable(torch.randn(4, 3, 16, 16)), torch.tensor([1, 2, 3, 9])
    for epoch in range(args.epochs):
        model.train()
        out = model(x)
        loss = criterion(out, y)
        prec1, prec5 = accuracy(out.data, y, topk=(1, 5))
        losses.update(loss.item(), x.size(0))
        top1.update(prec1[0].item(), x.size(0))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        sched.step()
        print('Epoch: [{0}][{1}/{2}]\t'
              'Loss {loss.val:.3f} ({loss.avg:.3f})\t'
              'Prec@1 {top1.val:.3f} ({top1.avg:.3f})'.format(epoch, 0, 1, loss=losses, top1=top1), prec5)
        print(losses, top1)
        print(f"lr {optimizer.param_groups[0]['lr']:.5e}")
    print(model)


if __name__ == "__main__":
    main()
