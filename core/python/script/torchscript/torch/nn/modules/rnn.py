# SPDX-License-Identifier: Apache-2.0
class RNNBase:
    def check_input(self, input: Tensor, batch_sizes: Optional[Tensor]) -> None:
        dims = 2 if batch_sizes is not None else 3
        if input.dim() != dims:
            raise RuntimeError("input must have {} dimensions, got {}".format(dims, input.dim()))
        if self.input_size != input.size(-1):
            raise RuntimeError("input.size(-1) must be equal to input_size. Expected {}, got {}".format(self.input_size, input.size(-1)))

    def hidden_size_for(self, batch: int, width: int) -> Tuple[int, int, int]:
        directions = 2 if self.bidirectional else 1
        return (self.num_layers * directions, batch, width)

    def check_hidden_size(self, hx: Tensor, expected: Tuple[int, int, int], msg: str) -> None:
        a, b, c = expected
        if hx.size() != [a, b, c]:
            raise RuntimeError(msg.format(expected, list(hx.size())))

    def permuted(self, hx: Tensor, permutation: Optional[Tensor]) -> Tensor:
        return hx if permutation is None else hx.index_select(1, permutation)

class RNN:
    def forward(self, input: Tensor, hx: Optional[Tensor] = None) -> Tuple[Tensor, Tensor]:
        assert input.dim() == 2 or input.dim() == 3, "RNN: Expected input to be 2-D or 3-D but received {}-D tensor".format(input.dim())
        is_batched = input.dim() == 3
        if not is_batched:
            input = input.unsqueeze(0 if self.batch_first else 1)
            if hx is not None:
                if hx.dim() != 2:
                    raise RuntimeError("For unbatched 2-D input, hx should also be 2-D but got {}-D tensor".format(hx.dim()))
                hx = hx.unsqueeze(1)
        elif hx is not None and hx.dim() != 3:
            raise RuntimeError("For batched 3-D input, hx should also be 3-D but got {}-D tensor".format(hx.dim()))
        batch = input.size(0) if self.batch_first else input.size(1)
        directions = 2 if self.bidirectional else 1
        if hx is None:
            hx = torch.zeros(self.num_layers * directions, batch, self.hidden_size, dtype=input.dtype, device=input.device)
        self.check_input(input, None)
        self.check_hidden_size(hx, self.hidden_size_for(batch, self.hidden_size), "Expected hidden size {}, got {}")
        if self.mode == "RNN_TANH":
            output, hidden = torch.rnn_tanh(input, hx, self._flat_weights, self.bias, self.num_layers, self.dropout, self.training, self.bidirectional, self.batch_first)
        else:
            output, hidden = torch.rnn_relu(input, hx, self._flat_weights, self.bias, self.num_layers, self.dropout, self.training, self.bidirectional, self.batch_first)
        if not is_batched:
            output = output.squeeze(0 if self.batch_first else 1)
            hidden = hidden.squeeze(1)
        return output, hidden

    def forward__1(self, input: PackedSequence, hx: Optional[Tensor] = None) -> Tuple[PackedSequence, Tensor]:
        data, batch_sizes, sorted_indices, unsorted_indices = input
        batch = int(batch_sizes[0])
        directions = 2 if self.bidirectional else 1
        if hx is None:
            hx = torch.zeros(self.num_layers * directions, batch, self.hidden_size, dtype=data.dtype, device=data.device)
        else:
            hx = self.permuted(hx, sorted_indices)
        self.check_input(data, batch_sizes)
        self.check_hidden_size(hx, self.hidden_size_for(batch, self.hidden_size), "Expected hidden size {}, got {}")
        if self.mode == "RNN_TANH":
            output, hidden = torch.rnn_tanh(data, batch_sizes, hx, self._flat_weights, self.bias, self.num_layers, self.dropout, self.training, self.bidirectional)
        else:
            output, hidden = torch.rnn_relu(data, batch_sizes, hx, self._flat_weights, self.bias, self.num_layers, self.dropout, self.training, self.bidirectional)
        return PackedSequence(output, batch_sizes, sorted_indices, unsorted_indices), self.permuted(hidden, unsorted_indices)

class GRU:
    def forward(self, input: Tensor, hx: Optional[Tensor] = None) -> Tuple[Tensor, Tensor]:
        assert input.dim() == 2 or input.dim() == 3, "GRU: Expected input to be 2-D or 3-D but received {}-D tensor".format(input.dim())
        is_batched = input.dim() == 3
        if not is_batched:
            input = input.unsqueeze(0 if self.batch_first else 1)
            if hx is not None:
                if hx.dim() != 2:
                    raise RuntimeError("For unbatched 2-D input, hx should also be 2-D but got {}-D tensor".format(hx.dim()))
                hx = hx.unsqueeze(1)
        elif hx is not None and hx.dim() != 3:
            raise RuntimeError("For batched 3-D input, hx should also be 3-D but got {}-D tensor".format(hx.dim()))
        batch = input.size(0) if self.batch_first else input.size(1)
        directions = 2 if self.bidirectional else 1
        if hx is None:
            hx = torch.zeros(self.num_layers * directions, batch, self.hidden_size, dtype=input.dtype, device=input.device)
        self.check_input(input, None)
        self.check_hidden_size(hx, self.hidden_size_for(batch, self.hidden_size), "Expected hidden size {}, got {}")
        output, hidden = torch.gru(input, hx, self._flat_weights, self.bias, self.num_layers, self.dropout, self.training, self.bidirectional, self.batch_first)
        if not is_batched:
            output = output.squeeze(0 if self.batch_first else 1)
            hidden = hidden.squeeze(1)
        return output, hidden

    def forward__1(self, input: PackedSequence, hx: Optional[Tensor] = None) -> Tuple[PackedSequence, Tensor]:
        data, batch_sizes, sorted_indices, unsorted_indices = input
        batch = int(batch_sizes[0])
        directions = 2 if self.bidirectional else 1
        if hx is None:
            hx = torch.zeros(self.num_layers * directions, batch, self.hidden_size, dtype=data.dtype, device=data.device)
        else:
            hx = self.permuted(hx, sorted_indices)
        self.check_input(data, batch_sizes)
        self.check_hidden_size(hx, self.hidden_size_for(batch, self.hidden_size), "Expected hidden size {}, got {}")
        output, hidden = torch.gru(data, batch_sizes, hx, self._flat_weights, self.bias, self.num_layers, self.dropout, self.training, self.bidirectional)
        return PackedSequence(output, batch_sizes, sorted_indices, unsorted_indices), self.permuted(hidden, unsorted_indices)

class LSTM:
    def forward(self, input: Tensor, hx: Optional[Tuple[Tensor, Tensor]] = None) -> Tuple[Tensor, Tuple[Tensor, Tensor]]:
        assert input.dim() == 2 or input.dim() == 3, "LSTM: Expected input to be 2-D or 3-D but received {}-D tensor".format(input.dim())
        is_batched = input.dim() == 3
        if not is_batched:
            input = input.unsqueeze(0 if self.batch_first else 1)
        batch = input.size(0) if self.batch_first else input.size(1)
        directions = 2 if self.bidirectional else 1
        width = self.proj_size if self.proj_size > 0 else self.hidden_size
        if hx is None:
            h = torch.zeros(self.num_layers * directions, batch, width, dtype=input.dtype, device=input.device)
            c = torch.zeros(self.num_layers * directions, batch, self.hidden_size, dtype=input.dtype, device=input.device)
            hx = (h, c)
        elif is_batched:
            if hx[0].dim() != 3 or hx[1].dim() != 3:
                raise RuntimeError("For batched 3-D input, hx and cx should also be 3-D but got ({}-D, {}-D) tensors".format(hx[0].dim(), hx[1].dim()))
        else:
            if hx[0].dim() != 2 or hx[1].dim() != 2:
                raise RuntimeError("For unbatched 2-D input, hx and cx should also be 2-D but got ({}-D, {}-D) tensors".format(hx[0].dim(), hx[1].dim()))
            hx = (hx[0].unsqueeze(1), hx[1].unsqueeze(1))
        self.check_input(input, None)
        self.check_hidden_size(hx[0], self.hidden_size_for(batch, width), "Expected hidden[0] size {}, got {}")
        self.check_hidden_size(hx[1], self.hidden_size_for(batch, self.hidden_size), "Expected hidden[1] size {}, got {}")
        output, h, c = torch.lstm(input, [hx[0], hx[1]], self._flat_weights, self.bias, self.num_layers, self.dropout, self.training, self.bidirectional, self.batch_first)
        if not is_batched:
            output = output.squeeze(0 if self.batch_first else 1)
            h = h.squeeze(1)
            c = c.squeeze(1)
        return output, (h, c)

    def forward__1(self, input: PackedSequence, hx: Optional[Tuple[Tensor, Tensor]] = None) -> Tuple[PackedSequence, Tuple[Tensor, Tensor]]:
        data, batch_sizes, sorted_indices, unsorted_indices = input
        batch = int(batch_sizes[0])
        directions = 2 if self.bidirectional else 1
        width = self.proj_size if self.proj_size > 0 else self.hidden_size
        if hx is None:
            h = torch.zeros(self.num_layers * directions, batch, width, dtype=data.dtype, device=data.device)
            c = torch.zeros(self.num_layers * directions, batch, self.hidden_size, dtype=data.dtype, device=data.device)
            hx = (h, c)
        else:
            hx = (self.permuted(hx[0], sorted_indices), self.permuted(hx[1], sorted_indices))
        self.check_input(data, batch_sizes)
        self.check_hidden_size(hx[0], self.hidden_size_for(batch, width), "Expected hidden[0] size {}, got {}")
        self.check_hidden_size(hx[1], self.hidden_size_for(batch, self.hidden_size), "Expected hidden[1] size {}, got {}")
        output, h, c = torch.lstm(data, batch_sizes, [hx[0], hx[1]], self._flat_weights, self.bias, self.num_layers, self.dropout, self.training, self.bidirectional)
        packed = PackedSequence(output, batch_sizes, sorted_indices, unsorted_indices)
        return packed, (self.permuted(h, unsorted_indices), self.permuted(c, unsorted_indices))

class RNNCell:
    def forward(self, input: Tensor, hx: Optional[Tensor] = None) -> Tensor:
        assert input.dim() in (1, 2), "RNNCell: Expected input to be 1-D or 2-D but received {}-D tensor".format(input.dim())
        is_batched = input.dim() == 2
        if not is_batched:
            input = input.unsqueeze(0)
        if hx is None:
            hx = torch.zeros(input.size(0), self.hidden_size, dtype=input.dtype, device=input.device)
        elif not is_batched:
            hx = hx.unsqueeze(0)
        if self.nonlinearity == "tanh":
            ret = torch.rnn_tanh_cell(input, hx, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        elif self.nonlinearity == "relu":
            ret = torch.rnn_relu_cell(input, hx, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        else:
            ret = input
            raise RuntimeError("Unknown nonlinearity: {}".format(self.nonlinearity))
        return ret if is_batched else ret.squeeze(0)

class GRUCell:
    def forward(self, input: Tensor, hx: Optional[Tensor] = None) -> Tensor:
        assert input.dim() in (1, 2), "GRUCell: Expected input to be 1-D or 2-D but received {}-D tensor".format(input.dim())
        is_batched = input.dim() == 2
        if not is_batched:
            input = input.unsqueeze(0)
        if hx is None:
            hx = torch.zeros(input.size(0), self.hidden_size, dtype=input.dtype, device=input.device)
        elif not is_batched:
            hx = hx.unsqueeze(0)
        ret = torch.gru_cell(input, hx, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        return ret if is_batched else ret.squeeze(0)

class LSTMCell:
    def forward(self, input: Tensor, hx: Optional[Tuple[Tensor, Tensor]] = None) -> Tuple[Tensor, Tensor]:
        assert input.dim() in (1, 2), "LSTMCell: Expected input to be 1-D or 2-D but received {}-D tensor".format(input.dim())
        is_batched = input.dim() == 2
        if not is_batched:
            input = input.unsqueeze(0)
        if hx is None:
            zeros = torch.zeros(input.size(0), self.hidden_size, dtype=input.dtype, device=input.device)
            hx = (zeros, zeros)
        elif not is_batched:
            hx = (hx[0].unsqueeze(0), hx[1].unsqueeze(0))
        h, c = torch.lstm_cell(input, [hx[0], hx[1]], self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        if not is_batched:
            h = h.squeeze(0)
            c = c.squeeze(0)
        return h, c
