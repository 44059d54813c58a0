# SPDX-License-Identifier: Apache-2.0
class PackedSequence(NamedTuple):
    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Optional[Tensor]
    unsorted_indices: Optional[Tensor]

def invert_permutation(permutation: Optional[Tensor]) -> Optional[Tensor]:
    if permutation is None:
        return None
    output = torch.empty_like(permutation)
    output.scatter_(0, permutation, torch.arange(0, permutation.numel(), device=permutation.device))
    return output

def pack_padded_sequence(input: Tensor, lengths: Tensor, batch_first: bool = False, enforce_sorted: bool = True) -> PackedSequence:
    lengths = torch.as_tensor(lengths, dtype=torch.int64)
    order: Optional[Tensor] = None
    if not enforce_sorted:
        lengths, indices = torch.sort(lengths, descending=True)
        indices = indices.to(input.device)
        order = indices
        input = input.index_select(0 if batch_first else 1, indices)
    data, batch_sizes = torch._pack_padded_sequence(input, lengths, batch_first)
    return PackedSequence(data, batch_sizes, order, invert_permutation(order))

def pad_packed_sequence(sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0,
                        total_length: Optional[int] = None) -> Tuple[Tensor, Tensor]:
    longest = sequence.batch_sizes.size(0)
    if total_length is not None:
        if total_length < longest:
            raise ValueError("Expected total_length to be at least the length of the longest sequence in input, but got total_length={} and max sequence length being {}".format(total_length, longest))
        longest = total_length
    padded, lengths = torch._pad_packed_sequence(sequence.data, sequence.batch_sizes, batch_first, padding_value, longest)
    order = sequence.unsorted_indices
    if order is not None:
        return padded.index_select(0 if batch_first else 1, order), lengths[order]
    return padded, lengths

def pad_sequence(sequences: List[Tensor], batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right") -> Tensor:
    return torch.pad_sequence(sequences, batch_first, padding_value, padding_side)

def unpad_sequence(padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False) -> List[Tensor]:
    unpadded: List[Tensor] = []
    if not batch_first:
        padded_sequences = padded_sequences.transpose(0, 1)
    for i in range(lengths.size(0)):
        unpadded.append(padded_sequences[i, :int(lengths[i])])
    return unpadded

def pack_sequence(sequences: List[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    lengths = torch.as_tensor([sequence.size(0) for sequence in sequences])
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)
