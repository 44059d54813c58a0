# SPDX-License-Identifier: Apache-2.0
# Gradients, Jacobians and batches of functions. What PyTorch does by tensors of several levels is done here by autograd
# itself, and vmap by one call for each element: the values are the same, and every call can be stepped through.
import torch
from torch.nn.utils.stateless import functional_call as _call_with

_depth = 0


# ---- trees: tensors in tuples, lists and dicts

def _flatten(tree):
    if isinstance(tree, tuple) and hasattr(tree, '_fields'):
        parts = [_flatten(each) for each in tree]
        return sum([leaves for leaves, _ in parts], []), lambda leaves: type(tree)(*_rebuild(parts, leaves))
    if isinstance(tree, (tuple, list)):
        parts = [_flatten(each) for each in tree]
        return sum([leaves for leaves, _ in parts], []), lambda leaves: type(tree)(_rebuild(parts, leaves))
    if isinstance(tree, dict):
        keys = list(tree.keys())
        parts = [_flatten(tree[key]) for key in keys]
        return sum([leaves for leaves, _ in parts], []), lambda leaves: type(tree)(zip(keys, _rebuild(parts, leaves)))
    return [tree], lambda leaves: leaves[0]


def _rebuild(parts, leaves):
    made = []
    start = 0
    for own, build in parts:
        made.append(build(leaves[start:start + len(own)]))
        start += len(own)
    return made


def _map(function, tree):
    leaves, build = _flatten(tree)
    return build([function(leaf) for leaf in leaves])


# ---- gradients

class _Level:
    def __enter__(self):
        global _depth
        _depth += 1

    def __exit__(self, kind, value, trace):
        global _depth
        _depth -= 1


def _fresh(tensor):
    if not isinstance(tensor, torch.Tensor):
        raise RuntimeError("Thing passed to transform API must be Tensor, got {}".format(type(tensor)))
    return tensor.view_as(tensor) if tensor.requires_grad else tensor.detach().requires_grad_()


def _keeps_history(leaves):
    return _depth > 0 or any(leaf.requires_grad for leaf in leaves)


# A leaf that the function reads from outside, as the weights of a module: what comes out depends on it too.
def _reads_others(outputs, leaves):
    waiting = [o.grad_fn for o in outputs if isinstance(o, torch.Tensor) and o.grad_fn is not None]
    seen = set(waiting)
    while waiting:
        node = waiting.pop()
        variable = getattr(node, 'variable', None)
        if variable is not None and not any(variable is leaf for leaf in leaves):
            return True
        for following, _ in node.next_functions:
            if following is not None and following not in seen:
                seen.add(following)
                waiting.append(following)
    return False


def _gradients(outputs, inputs, weights, keeps, retain=None):
    kept = [(o, w) for o, w in zip(outputs, weights) if o.requires_grad]
    if not kept:
        return [torch.zeros_like(i) for i in inputs]
    grads = torch.autograd.grad([o for o, _ in kept], inputs, [w for _, w in kept], allow_unused=True, create_graph=keeps,
                                retain_graph=True if retain else None)
    grads = [torch.zeros_like(i) if g is None else g for g, i in zip(grads, inputs)]
    return grads if keeps else [g.detach() for g in grads]


def _auxiliary(tree, keeps):
    for leaf in _flatten(tree)[0]:
        if not isinstance(leaf, torch.Tensor):
            raise RuntimeError("Expected tensors, got unsupported type {}".format(type(leaf)))
    return _released(tree, keeps)


def _released(tree, keeps):
    if keeps:
        return tree
    return _map(lambda leaf: leaf.detach() if isinstance(leaf, torch.Tensor) else leaf, tree)


def _check_argnums(argnums, count):
    if isinstance(argnums, bool) or not isinstance(argnums, (int, tuple)):
        raise RuntimeError("argnums must be int or Tuple[int, ...], got: {}".format(type(argnums)))
    if isinstance(argnums, tuple) and len(argnums) == 0:
        raise RuntimeError("argnums must be non-empty")
    picked = argnums if isinstance(argnums, tuple) else (argnums,)
    for num in picked:
        if not isinstance(num, int):
            raise RuntimeError("argnum must be int, got: {}".format(type(num)))
        if not -count <= num < count:
            raise RuntimeError("Got argnum={}, but only {} positional inputs".format(num, count))
    if len(set(num % count for num in picked)) != len(picked):
        raise RuntimeError("argnums elements must be unique, got {}".format(argnums))
    return tuple(num % count for num in picked)


class _Opened:
    def __init__(self, args, picked):
        flat = [_flatten(args[num]) for num in picked]
        given = sum([leaves for leaves, _ in flat], [])
        for leaf in given:
            _fresh(leaf) if not isinstance(leaf, torch.Tensor) else None
        self.keeps = _keeps_history(given)
        self.leaves = [_fresh(leaf) for leaf in given]
        self.parts = flat
        self.args = list(args)
        for num, tree in zip(picked, _rebuild(flat, self.leaves)):
            self.args[num] = tree

    def look_at(self, outputs):
        self.keeps = self.keeps or _reads_others(outputs, self.leaves)

    def shaped_like_inputs(self, values, is_tuple):
        trees = tuple(_rebuild(self.parts, values))
        return trees if is_tuple else trees[0]


def grad_and_value(func, argnums=0, has_aux=False):
    def wrapper(*args, **kwargs):
        picked = _check_argnums(argnums, len(args))
        with torch.enable_grad():
            opened = _Opened(args, picked)
            with _Level():
                output = func(*opened.args, **kwargs)
            aux = None
            if has_aux:
                if not (isinstance(output, tuple) and len(output) == 2):
                    raise RuntimeError("grad_and_value(f)(*args): output of function f should be a tuple: (output, aux) "
                                       "if has_aux is True")
                output, aux = output
            if not isinstance(output, torch.Tensor):
                raise RuntimeError("grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got {}".format(type(output)))
            if output.dim() != 0:
                raise RuntimeError("grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with {} dims. "
                                   "Maybe you wanted to use the vjp or jacrev APIs instead?".format(output.dim()))
            opened.look_at([output])
            grads = _gradients([output], opened.leaves, [torch.ones_like(output)], opened.keeps)
        grads = opened.shaped_like_inputs(grads, isinstance(argnums, tuple))
        output = _released(output, opened.keeps)
        if has_aux:
            return grads, (output, _auxiliary(aux, opened.keeps))
        return grads, output

    return wrapper


def grad(func, argnums=0, has_aux=False):
    def wrapper(*args, **kwargs):
        grads, value = grad_and_value(func, argnums, has_aux)(*args, **kwargs)
        return (grads, value[1]) if has_aux else grads

    return wrapper


def vjp(func, *primals, has_aux=False):
    opened = _Opened(primals, tuple(range(len(primals))))
    with torch.enable_grad():
        with _Level():
            output = func(*opened.args)
    aux = None
    if has_aux:
        if not (isinstance(output, tuple) and len(output) == 2):
            raise RuntimeError("vjp(f, *primals): output of function f should be a tuple: (output, aux) if has_aux is True")
        output, aux = output
    outputs, _ = _flatten(output)
    for each in outputs:
        if not isinstance(each, torch.Tensor):
            raise RuntimeError("vjp(f, *primals): Expected f(*primals) to return only tensors, got unsupported type {}".format(type(each)))
    opened.look_at(outputs)

    def vjp_fn(cotangents, retain_graph=True, create_graph=None):
        weights, _ = _flatten(cotangents)
        if len(weights) != len(outputs):
            raise RuntimeError("Expected pytree structure of cotangents to be the same as pytree structure of outputs to the function.")
        with torch.enable_grad():
            keeps = opened.keeps or any(w.requires_grad for w in weights)
            grads = _gradients(outputs, opened.leaves, weights, keeps, retain=True)
        return opened.shaped_like_inputs(grads, True)

    if has_aux:
        return _released(output, opened.keeps), vjp_fn, _auxiliary(aux, opened.keeps)
    return _released(output, opened.keeps), vjp_fn


# The gradient of the gradient with respect to its weight is the product with the tangent.
def jvp(func, primals, tangents, *, strict=False, has_aux=False):
    if not isinstance(primals, tuple):
        raise RuntimeError("jvp(f, primals, tangents): Expected primals to be a tuple. E.g. it should be valid to call f(*primals).")
    opened = _Opened(primals, tuple(range(len(primals))))
    directions, _ = _flatten(tangents)
    if len(directions) != len(opened.leaves):
        raise RuntimeError("jvp(f, primals, tangents): Expected primals and tangents to have the same python structure.")
    with torch.enable_grad():
        with _Level():
            output = func(*opened.args)
        aux = None
        if has_aux:
            output, aux = output
        outputs, build = _flatten(output)
        opened.look_at(outputs)
        keeps = opened.keeps or any(t.requires_grad for t in directions)
        weights = [torch.zeros_like(o).requires_grad_() for o in outputs]
        moved = [torch.zeros_like(o) for o in outputs]
        if any(o.requires_grad for o in outputs):
            picked = [i for i, o in enumerate(outputs) if o.requires_grad]
            grads = torch.autograd.grad([outputs[i] for i in picked], opened.leaves, [weights[i] for i in picked], allow_unused=True,
                                        create_graph=True)
            used = [(g, d) for g, d in zip(grads, directions) if g is not None and g.requires_grad]
            if used:
                found = torch.autograd.grad([g for g, _ in used], weights, [d for _, d in used], allow_unused=True, create_graph=keeps)
                moved = [m if f is None else f for m, f in zip(moved, found)]
    result = (_released(output, keeps), build(moved if keeps else [m.detach() for m in moved]))
    return result + (_auxiliary(aux, keeps),) if has_aux else result


def linearize(func, *primals):
    output = _released(func(*primals), False)
    return output, lambda *tangents: jvp(func, primals, tangents)[1]


def jacrev(func, argnums=0, *, has_aux=False, chunk_size=None, _preallocate_and_copy=False):
    def wrapper(*args, **kwargs):
        picked = _check_argnums(argnums, len(args))
        with torch.enable_grad():
            opened = _Opened(args, picked)
            with _Level():
                output = func(*opened.args, **kwargs)
            aux = None
            if has_aux:
                output, aux = output
            outputs, build = _flatten(output)
            opened.look_at(outputs)
            rows = []
            for each in outputs:
                if not isinstance(each, torch.Tensor):
                    raise RuntimeError("jacrev: Expected f(*args) to return only tensors, got unsupported type {}".format(type(each)))
                rows.append(_rows(each, opened))
        jacobian = build([opened.shaped_like_inputs(row, isinstance(argnums, tuple)) for row in rows])
        return (jacobian, _auxiliary(aux, opened.keeps)) if has_aux else jacobian

    return wrapper


def _rows(output, opened):
    flat = output.reshape(-1)
    found = []
    for i in range(flat.numel()):
        found.append(_gradients([flat[i]], opened.leaves, [torch.ones_like(flat[i])], opened.keeps, retain=True))
    if not found:
        return [torch.zeros(tuple(output.shape) + tuple(leaf.shape), dtype=leaf.dtype) for leaf in opened.leaves]
    return [torch.stack([row[k] for row in found]).reshape(tuple(output.shape) + tuple(leaf.shape)) for k, leaf in enumerate(opened.leaves)]


def jacfwd(func, argnums=0, has_aux=False, *, chunk_size=None, randomness="error"):
    return jacrev(func, argnums, has_aux=has_aux)


def hessian(func, argnums=0):
    return jacfwd(jacrev(func, argnums), argnums)


# ---- batches

def _spread(dims, tree):
    if dims is None or isinstance(dims, int):
        leaves, _ = _flatten(tree)
        return [dims] * len(leaves)
    if isinstance(dims, (tuple, list)) and isinstance(tree, (tuple, list)) and len(dims) == len(tree):
        return sum([_spread(d, t) for d, t in zip(dims, tree)], [])
    if isinstance(dims, dict) and isinstance(tree, dict) and list(dims.keys()) == list(tree.keys()):
        return sum([_spread(dims[key], tree[key]) for key in tree], [])
    return None


def _name(func):
    return func.__name__ if hasattr(func, '__name__') else repr(func)


def _batch_dims(in_dims, args, func):
    call = "vmap({}, in_dims={}, ...)(<inputs>)".format(_name(func), in_dims)
    if not isinstance(in_dims, (int, tuple)):
        raise ValueError("{}: expected `in_dims` to be int or a (potentially nested) tuple matching the structure of inputs, got: {}."
                         .format(call, type(in_dims)))
    if len(args) == 0:
        raise ValueError("vmap({})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to vmap over a function "
                         "with no inputs. The latter is unsupported.".format(_name(func)))
    dims = _spread(in_dims, args)
    if dims is None:
        raise ValueError("{}: in_dims is not compatible with the structure of `inputs`. in_dims has structure {} but inputs has "
                         "structure {}.".format(call, in_dims, tuple(type(a).__name__ for a in args)))
    leaves, _ = _flatten(args)
    out = []
    for leaf, dim in zip(leaves, dims):
        if dim is None:
            out.append(None)
            continue
        if not isinstance(leaf, torch.Tensor):
            raise ValueError("{}: Got in_dim={} for an input but the input is of type {}. We cannot vmap over non-Tensor arguments, "
                             "please use None as the respective in_dim".format(call, dim, type(leaf)))
        if not -leaf.dim() <= dim < leaf.dim():
            raise ValueError("{}: Got in_dim={} for some input, but that input is a Tensor of dimensionality {} so expected in_dim to "
                             "satisfy -{} <= in_dim < {}.".format(call, dim, leaf.dim(), leaf.dim(), leaf.dim()))
        out.append(dim % leaf.dim())
    sizes = [leaf.size(dim) for leaf, dim in zip(leaves, out) if dim is not None]
    if not sizes:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    if any(size != sizes[0] for size in sizes):
        raise ValueError("vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {} for the mapped dimension"
                         .format(sizes))
    return out, sizes[0]


def _stacked(results, out_dims, func):
    first, build = _flatten(results[0])
    dims = _spread(out_dims, results[0])
    if dims is None:
        raise ValueError("vmap({}, ..., out_dims={})(<inputs>): out_dims is not compatible with the structure of `outputs`. out_dims has "
                         "structure {} but outputs has structure {}.".format(_name(func), out_dims, out_dims, type(results[0]).__name__))
    flat = [_flatten(result)[0] for result in results]
    out = []
    for k, dim in enumerate(dims):
        if not isinstance(first[k], torch.Tensor):
            raise ValueError("vmap({}, ...): `{}` must only return Tensors, got type {}. Did you mean to set out_dims= to None for output?"
                             .format(_name(func), _name(func), type(first[k])))
        out.append(first[k] if dim is None else torch.stack([each[k] for each in flat], dim))
    return build(out)


def vmap(func, in_dims=0, out_dims=0, randomness="error", *, chunk_size=None):
    if randomness not in ("error", "different", "same"):
        raise RuntimeError("Only allowed values for randomness are 'error', 'different', or 'same'. Got {}".format(randomness))
    if chunk_size is not None and not chunk_size > 0:
        raise ValueError("vmap: chunk_size should be None or greater than 0. (got {})".format(chunk_size))

    def wrapper(*args, **kwargs):
        dims, count = _batch_dims(in_dims, args, func)
        leaves, build = _flatten(args)
        shared, build_shared = _flatten(kwargs)
        batched = [isinstance(leaf, torch.Tensor) and leaf.dim() > 0 for leaf in shared]
        state = torch.get_rng_state() if randomness == "same" else None
        results = []
        for i in range(count):
            if state is not None:
                torch.set_rng_state(state)
            own = build([leaf if dim is None else leaf.select(dim, i) for leaf, dim in zip(leaves, dims)])
            named = build_shared([leaf.select(0, i) if has else leaf for leaf, has in zip(shared, batched)])
            results.append(func(*own, **named))
        if not results:
            raise ValueError("vmap: the mapped dimension has no elements")
        return _stacked(results, out_dims, func)

    return wrapper


# ---- modules

def functional_call(module, parameter_and_buffer_dicts, args=None, kwargs=None, *, tie_weights=True, strict=False):
    given = parameter_and_buffer_dicts
    if isinstance(given, (tuple, list)):
        merged = {}
        twice = []
        for each in given:
            twice += [key for key in each if key in merged and key not in twice]
            merged.update(each)
        if twice:
            raise ValueError("{} appeared in multiple dictionaries; behavior of functional call is ambiguous".format(twice))
        given = merged
    if args is None:
        args = ()
    elif not isinstance(args, tuple):
        args = (args,)
    return _call_with(module, given, args, kwargs)


def stack_module_state(models):
    if len(models) == 0:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if not (all(m.training for m in models) or all(not m.training for m in models)):
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if not all(type(m) == type(models[0]) for m in models):
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    params = {name: torch.stack([dict(m.named_parameters())[name].detach() for m in models]).requires_grad_(p.requires_grad)
              for name, p in models[0].named_parameters()}
    buffers = {name: torch.stack([dict(m.named_buffers())[name] for m in models]) for name, _ in models[0].named_buffers()}
    return params, buffers


def functionalize(func, *, remove='mutations'):
    return func
