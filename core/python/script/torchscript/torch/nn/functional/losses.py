# SPDX-License-Identifier: Apache-2.0
def _reduction_name(size_average: Optional[bool], reduce: Optional[bool], reduction: str) -> str:
    if size_average is None and reduce is None:
        return reduction
    averages = True if size_average is None else size_average
    reduces = True if reduce is None else reduce
    if not reduces:
        name = "none"
    elif averages:
        name = "mean"
    else:
        name = "sum"
    torch.warn("size_average and reduce args will be deprecated, please use reduction='{}' instead.".format(name))
    return name

def _reduction_number(reduction: str) -> int:
    if reduction == "none":
        number = 0
    elif reduction == "mean":
        number = 1
    elif reduction == "elementwise_mean":
        torch.warn("reduction='elementwise_mean' is deprecated, please use reduction='mean' instead.")
        number = 1
    elif reduction == "sum":
        number = 2
    else:
        number = -1
        raise ValueError("{} is not a valid value for reduction".format(reduction))
    return number

def _warn_of_sizes(input: Tensor, target: Tensor) -> None:
    if not (target.size() == input.size()):
        torch.warn("Using a target size ({}) that is different to the input size ({}). This will likely lead to incorrect results due to broadcasting. Please ensure they have the same size.".format(target.size(), input.size()))

def ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: Tensor, target_lengths: Tensor, blank: int = 0,
             reduction: str = "mean", zero_infinity: bool = False) -> Tensor:
    return torch.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, _reduction_number(reduction), zero_infinity)

def nll_loss(input: Tensor, target: Tensor, weight: Optional[Tensor] = None, size_average: Optional[bool] = None,
             ignore_index: int = -100, reduce: Optional[bool] = None, reduction: str = "mean") -> Tensor:
    reduction = _reduction_name(size_average, reduce, reduction)
    return torch.nll_loss_nd(input, target, weight, _reduction_number(reduction), ignore_index)

def poisson_nll_loss(input: Tensor, target: Tensor, log_input: bool = True, full: bool = False, size_average: Optional[bool] = None,
                     eps: float = 1e-8, reduce: Optional[bool] = None, reduction: str = "mean") -> Tensor:
    reduction = _reduction_name(size_average, reduce, reduction)
    if reduction != "none" and reduction != "mean" and reduction != "sum":
        raise ValueError(reduction + " is not valid")
    return torch.poisson_nll_loss(input, target, log_input, full, eps, _reduction_number(reduction))

def gaussian_nll_loss(input: Tensor, target: Tensor, var: Tensor, full: bool = False, eps: float = 1e-6,
                      reduction: str = "mean") -> Tensor:
    if var.size() != input.size():
        if input.size()[:-1] == var.size():
            var = torch.unsqueeze(var, -1)
        elif input.size()[:-1] == var.size()[:-1] and var.size(-1) == 1:
            pass
        else:
            raise ValueError("var is of incorrect size")
    if reduction != "none" and reduction != "mean" and reduction != "sum":
        raise ValueError(reduction + " is not valid")
    if torch.any(var < 0):
        raise ValueError("var has negative entry/entries")
    var = var.clone()
    with no_grad():
        var.clamp_(min=eps)
    loss = 0.5 * (torch.log(var) + (input - target)**2 / var)
    if full:
        loss += 0.5 * math.log(2 * 3.141592653589793)
    if reduction == "mean":
        return loss.mean()
    elif reduction == "sum":
        return loss.sum()
    return loss

def kl_div(input: Tensor, target: Tensor, size_average: Optional[bool] = None, reduce: Optional[bool] = None,
           reduction: str = "mean", log_target: bool = False) -> Tensor:
    name = _reduction_name(size_average, reduce, reduction)
    if size_average is None and reduce is None and reduction == "mean":
        torch.warn("reduction: 'mean' divides the total loss by both the batch size and the support size.'batchmean' divides only by the batch size, and aligns with the KL div math definition.'mean' will be changed to behave the same as 'batchmean' in the next major release.")
    number = _reduction_number("sum") if name == "batchmean" else _reduction_number(name)
    reduced = torch.kl_div(input, target, number, log_target=log_target)
    if reduction == "batchmean" and input.dim() != 0:
        reduced = reduced / input.size()[0]
    return reduced

def cross_entropy(input: Tensor, target: Tensor, weight: Optional[Tensor] = None, size_average: Optional[bool] = None,
                  ignore_index: int = -100, reduce: Optional[bool] = None, reduction: str = "mean",
                  label_smoothing: float = 0.0) -> Tensor:
    reduction = _reduction_name(size_average, reduce, reduction)
    return torch.cross_entropy_loss(input, target, weight, _reduction_number(reduction), ignore_index, label_smoothing)

def binary_cross_entropy(input: Tensor, target: Tensor, weight: Optional[Tensor] = None, size_average: Optional[bool] = None,
                         reduce: Optional[bool] = None, reduction: str = "mean") -> Tensor:
    number = _reduction_number(_reduction_name(size_average, reduce, reduction))
    if target.size() != input.size():
        raise ValueError("Using a target size ({}) that is different to the input size ({}) is deprecated. Please ensure they have the same size.".format(target.size(), input.size()))
    if weight is not None:
        weight = weight.expand(torch._infer_size(target.size(), weight.size()))
    return torch.binary_cross_entropy(input, target, weight, number)

def binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Optional[Tensor] = None,
                                     size_average: Optional[bool] = None, reduce: Optional[bool] = None, reduction: str = "mean",
                                     pos_weight: Optional[Tensor] = None) -> Tensor:
    number = _reduction_number(_reduction_name(size_average, reduce, reduction))
    if not (target.size() == input.size()):
        raise ValueError("Target size ({}) must be the same as input size ({})".format(target.size(), input.size()))
    return torch.binary_cross_entropy_with_logits(input, target, weight, pos_weight, number)

def smooth_l1_loss(input: Tensor, target: Tensor, size_average: Optional[bool] = None, reduce: Optional[bool] = None,
                   reduction: str = "mean", beta: float = 1.0) -> Tensor:
    _warn_of_sizes(input, target)
    reduction = _reduction_name(size_average, reduce, reduction)
    wide_input, wide_target = torch.broadcast_tensors([input, target])
    return torch.smooth_l1_loss(wide_input, wide_target, _reduction_number(reduction), beta)

def huber_loss(input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0) -> Tensor:
    _warn_of_sizes(input, target)
    wide_input, wide_target = torch.broadcast_tensors([input, target])
    return torch.huber_loss(wide_input, wide_target, _reduction_number(reduction), delta)

def l1_loss(input: Tensor, target: Tensor, size_average: Optional[bool] = None, reduce: Optional[bool] = None,
            reduction: str = "mean") -> Tensor:
    _warn_of_sizes(input, target)
    reduction = _reduction_name(size_average, reduce, reduction)
    wide_input, wide_target = torch.broadcast_tensors([input, target])
    return torch.l1_loss(wide_input, wide_target, _reduction_number(reduction))

def mse_loss(input: Tensor, target: Tensor, size_average: Optional[bool] = None, reduce: Optional[bool] = None,
             reduction: str = "mean") -> Tensor:
    _warn_of_sizes(input, target)
    reduction = _reduction_name(size_average, reduce, reduction)
    wide_input, wide_target = torch.broadcast_tensors([input, target])
    return torch.mse_loss(wide_input, wide_target, _reduction_number(reduction))

def margin_ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0., size_average: Optional[bool] = None,
                        reduce: Optional[bool] = None, reduction: str = "mean") -> Tensor:
    number = _reduction_number(_reduction_name(size_average, reduce, reduction))
    if input1.dim() != input2.dim() or input1.dim() != target.dim():
        raise RuntimeError("margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: {}, input2: {}, target: {} ".format(input1.size(), input2.size(), target.size()))
    return torch.margin_ranking_loss(input1, input2, target, margin, number)

def hinge_embedding_loss(input: Tensor, target: Tensor, margin: float = 1.0, size_average: Optional[bool] = None,
                         reduce: Optional[bool] = None, reduction: str = "mean") -> Tensor:
    number = _reduction_number(_reduction_name(size_average, reduce, reduction))
    return torch.hinge_embedding_loss(input, target, margin, number)

def multilabel_margin_loss(input: Tensor, target: Tensor, size_average: Optional[bool] = None, reduce: Optional[bool] = None,
                           reduction: str = "mean") -> Tensor:
    return torch.multilabel_margin_loss(input, target, _reduction_number(_reduction_name(size_average, reduce, reduction)))

def soft_margin_loss(input: Tensor, target: Tensor, size_average: Optional[bool] = None, reduce: Optional[bool] = None,
                     reduction: str = "mean") -> Tensor:
    return torch.soft_margin_loss(input, target, _reduction_number(_reduction_name(size_average, reduce, reduction)))

def multilabel_soft_margin_loss(input: Tensor, target: Tensor, weight: Optional[Tensor] = None, size_average: Optional[bool] = None,
                                reduce: Optional[bool] = None, reduction: str = "mean") -> Tensor:
    reduction = _reduction_name(size_average, reduce, reduction)
    loss = -(target * torch.log_sigmoid(input) + (1 - target) * torch.log_sigmoid(-input))
    if weight is not None:
        loss = loss * weight
    class_dim = input.dim() - 1
    classes = input.size(class_dim)
    loss = loss.sum(dim=class_dim) / classes
    if reduction == "none":
        result = loss
    elif reduction == "mean":
        result = loss.mean()
    elif reduction == "sum":
        result = loss.sum()
    else:
        result = input
        raise ValueError(reduction + " is not valid")
    return result

def cosine_embedding_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0., size_average: Optional[bool] = None,
                          reduce: Optional[bool] = None, reduction: str = "mean") -> Tensor:
    number = _reduction_number(_reduction_name(size_average, reduce, reduction))
    return torch.cosine_embedding_loss(input1, input2, target, margin, number)

def multi_margin_loss(input: Tensor, target: Tensor, p: int = 1, margin: float = 1.0, weight: Optional[Tensor] = None,
                      size_average: Optional[bool] = None, reduce: Optional[bool] = None, reduction: str = "mean") -> Tensor:
    number = _reduction_number(_reduction_name(size_average, reduce, reduction))
    if p != 1 and p != 2:
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None:
        if weight.dim() != 1:
            raise ValueError("weight must be one-dimensional")
    return torch.multi_margin_loss(input, target, p, margin, weight, number)

def triplet_margin_loss(anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0, p: float = 2., eps: float = 1e-6,
                        swap: bool = False, size_average: Optional[bool] = None, reduce: Optional[bool] = None,
                        reduction: str = "mean") -> Tensor:
    number = _reduction_number(_reduction_name(size_average, reduce, reduction))
    return torch.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, number)
