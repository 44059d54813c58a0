import weakref
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)


net = Net()
seen = weakref.ref(net)
held = weakref.WeakKeyDictionary()
held[net] = 'net'
proxy = weakref.proxy(net)
print(seen() is net, len(held), proxy.fc)
layer = weakref.ref(net.fc)
print(layer() is net.fc)
del net
print(seen(), layer(), len(held))


class Child(nn.Module):
    def __init__(self, parent):
        super().__init__()
        self.parent = weakref.ref(parent)


class Parent(nn.Module):
    def __init__(self):
        super().__init__()
        self.child = Child(self)


parent = Parent()
print(parent.child.parent() is parent)
child = parent.child
del parent
print(child.parent())
