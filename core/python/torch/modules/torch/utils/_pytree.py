# SPDX-License-Identifier: Apache-2.0
# Nested containers as flat lists of leaves.
from collections import OrderedDict, defaultdict, deque, namedtuple
import functools


class _Kind:
    def __init__(self, flatten, unflatten):
        self.flatten = flatten
        self.unflatten = unflatten


SUPPORTED_NODES = {
    list: _Kind(lambda x: (list(x), None), lambda children, context: list(children)),
    tuple: _Kind(lambda x: (list(x), None), lambda children, context: tuple(children)),
    dict: _Kind(lambda x: (list(x.values()), list(x.keys())), lambda children, keys: dict(zip(keys, children))),
    OrderedDict: _Kind(lambda x: (list(x.values()), list(x.keys())), lambda children, keys: OrderedDict(zip(keys, children))),
    defaultdict: _Kind(lambda x: (list(x.values()), [x.default_factory, list(x.keys())]),
                       lambda children, context: defaultdict(context[0], dict(zip(context[1], children)))),
    deque: _Kind(lambda x: (list(x), x.maxlen), lambda children, maxlen: deque(children, maxlen)),
    namedtuple: _Kind(lambda x: (list(x), type(x)), lambda children, kind: kind(*children)),
}


def register_pytree_node(cls, flatten_fn, unflatten_fn, **kwargs):
    SUPPORTED_NODES[cls] = _Kind(lambda x: (lambda made: (list(made[0]), made[1]))(flatten_fn(x)), unflatten_fn)


_register_pytree_node = register_pytree_node


def _kind_of(tree):
    if isinstance(tree, tuple) and hasattr(tree, '_fields'):
        return namedtuple
    return type(tree)


def _is_leaf(tree, is_leaf=None):
    return (is_leaf is not None and is_leaf(tree)) or _kind_of(tree) not in SUPPORTED_NODES


class TreeSpec:
    def __init__(self, type, context, children_specs):
        self.type = type
        self.context = context
        self.children_specs = children_specs
        self.num_children = len(children_specs)
        self.num_nodes = 1 + sum(child.num_nodes for child in children_specs)
        self.num_leaves = 1 if type is None else sum(child.num_leaves for child in children_specs)

    def is_leaf(self):
        return self.type is None

    def __eq__(self, other):
        return (isinstance(other, TreeSpec) and self.type == other.type and self.context == other.context
                and self.children_specs == other.children_specs)

    def __hash__(self):
        return hash((self.type, self.num_leaves))

    def unflatten(self, leaves):
        return tree_unflatten(leaves, self)

    def flatten_up_to(self, tree):
        if self.is_leaf():
            return [tree]
        children, _ = SUPPORTED_NODES[self.type].flatten(tree)
        return [leaf for child, spec in zip(children, self.children_specs) for leaf in spec.flatten_up_to(child)]

    def __repr__(self):
        if self.is_leaf():
            return '*'
        children = ', '.join(repr(child) for child in self.children_specs)
        return f'TreeSpec({self.type.__name__}, {self.context}, [{children}])'


class LeafSpec(TreeSpec):
    def __init__(self):
        super().__init__(None, None, [])


def tree_flatten(tree, is_leaf=None):
    leaves = []

    def spec_of(tree):
        if _is_leaf(tree, is_leaf):
            leaves.append(tree)
            return LeafSpec()
        kind = _kind_of(tree)
        children, context = SUPPORTED_NODES[kind].flatten(tree)
        return TreeSpec(kind, context, [spec_of(child) for child in children])

    spec = spec_of(tree)
    return leaves, spec


def tree_unflatten(leaves, treespec):
    leaves = list(leaves)
    if len(leaves) != treespec.num_leaves:
        raise ValueError(f'tree_unflatten(leaves, treespec): `leaves` has length {len(leaves)} but the spec refers to a pytree that holds '
                         f'{treespec.num_leaves} items ({treespec}).')
    rest = iter(leaves)

    def make(spec):
        if spec.is_leaf():
            return next(rest)
        return SUPPORTED_NODES[spec.type].unflatten([make(child) for child in spec.children_specs], spec.context)

    return make(treespec)


def tree_iter(tree, is_leaf=None):
    return iter(tree_flatten(tree, is_leaf)[0])


def tree_leaves(tree, is_leaf=None):
    return tree_flatten(tree, is_leaf)[0]


def arg_tree_leaves(*args, **kwargs):
    return tree_leaves((args, kwargs))


def tree_structure(tree, is_leaf=None):
    return tree_flatten(tree, is_leaf)[1]


def tree_map(func, tree, *rests, is_leaf=None):
    leaves, spec = tree_flatten(tree, is_leaf)
    others = [spec.flatten_up_to(rest) for rest in rests]
    return tree_unflatten([func(*each) for each in zip(leaves, *others)], spec)


def tree_map_(func, tree, *rests, is_leaf=None):
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree


def map_only(type_or_types):
    def wrap(func):
        return lambda x: func(x) if isinstance(x, type_or_types) else x
    return wrap


def tree_map_only(type_or_types, func, tree, is_leaf=None):
    return tree_map(map_only(type_or_types)(func), tree, is_leaf=is_leaf)


tree_map_only_ = tree_map_only


def tree_all(pred, tree, is_leaf=None):
    return all(pred(leaf) for leaf in tree_leaves(tree, is_leaf))


def tree_any(pred, tree, is_leaf=None):
    return any(pred(leaf) for leaf in tree_leaves(tree, is_leaf))


def tree_all_only(type_or_types, pred, tree, is_leaf=None):
    return all(pred(leaf) for leaf in tree_leaves(tree, is_leaf) if isinstance(leaf, type_or_types))


def tree_any_only(type_or_types, pred, tree, is_leaf=None):
    return any(pred(leaf) for leaf in tree_leaves(tree, is_leaf) if isinstance(leaf, type_or_types))


def treespec_pprint(treespec):
    return repr(tree_unflatten(['*'] * treespec.num_leaves, treespec))
