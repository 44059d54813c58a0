# SPDX-License-Identifier: Apache-2.0
import torch
import torch.distributed as dist


def _flat(nested):
    if isinstance(nested, (list, tuple)):
        return [x for each in nested for x in _flat(each)]
    return [nested]


class DeviceMesh:
    def __init__(self, device_type, mesh, *, mesh_dim_names=None, _groups=None):
        self.device_type = device_type
        self.mesh = mesh if isinstance(mesh, torch.Tensor) else torch.tensor(mesh, dtype=torch.int)
        self.mesh_dim_names = tuple(mesh_dim_names) if mesh_dim_names is not None else None
        if not dist.is_initialized():
            dist.init_process_group()
        if self.mesh.numel() > dist.get_world_size():
            raise RuntimeError("Mesh should not be bigger than default world size " + str(dist.get_world_size()) +
                               ", but found " + str(self.mesh.numel()) + " ranks!")
        self._groups = _groups if _groups is not None else self._make_groups()

    # One group a line of each dimension; all ranks make all of them.
    def _make_groups(self):
        groups = []
        for dim in range(self.mesh.dim()):
            if self.mesh.dim() == 1 and self.mesh.numel() == dist.get_world_size():
                groups.append(dist._get_default_group())
                continue
            mine = None
            lines = self.mesh.movedim(dim, -1).reshape(-1, self.mesh.size(dim)).tolist()
            for ranks in lines:
                made = dist.new_group(ranks)
                if dist.get_rank() in ranks:
                    mine = made
            groups.append(mine)
        return groups

    @property
    def ndim(self):
        return self.mesh.dim()

    @property
    def shape(self):
        return tuple(self.mesh.shape)

    def size(self, mesh_dim=None):
        return self.mesh.numel() if mesh_dim is None else self.mesh.size(mesh_dim)

    def _dim(self, mesh_dim):
        if mesh_dim is None:
            if self.ndim > 1:
                raise RuntimeError("Found the DeviceMesh have " + str(self.ndim) + " dimensions. "
                                   "Optional kwarg `mesh_dim` needs to be specified when device_mesh.ndim > 1.")
            return 0
        if isinstance(mesh_dim, str):
            if self.mesh_dim_names is None or mesh_dim not in self.mesh_dim_names:
                raise KeyError("Invalid mesh_dim_name " + mesh_dim)
            return self.mesh_dim_names.index(mesh_dim)
        return mesh_dim

    def get_group(self, mesh_dim=None):
        return self._groups[self._dim(mesh_dim)]

    def get_all_groups(self):
        return list(self._groups)

    def get_coordinate(self):
        where = (self.mesh == dist.get_rank()).nonzero()
        return where[0].tolist() if len(where) else None

    def get_rank(self):
        return dist.get_rank()

    def get_local_rank(self, mesh_dim=None):
        return dist.get_rank(self.get_group(mesh_dim))

    def __getitem__(self, names):
        names = (names,) if isinstance(names, str) else tuple(names)
        if self.mesh_dim_names is None:
            raise RuntimeError("Cannot slice a DeviceMesh without mesh_dim_names!")
        if names == self.mesh_dim_names:
            return self
        dims = [self._dim(name) for name in names]
        coordinate = self.get_coordinate()
        mesh = self.mesh
        for dim in reversed(range(self.ndim)):
            if dim not in dims:
                mesh = mesh.select(dim, coordinate[dim])
        return DeviceMesh(self.device_type, mesh, mesh_dim_names=names, _groups=[self._groups[dim] for dim in dims])

    def __repr__(self):
        if self.mesh_dim_names is None:
            sizes = str(self.shape)
        else:
            sizes = "(" + ', '.join(n + '=' + str(s) for n, s in zip(self.mesh_dim_names, self.mesh.shape)) + ")"
        return "DeviceMesh(" + sizes + ", '" + self.device_type + "', stride=" + str(tuple(self.mesh.stride())) + ")"

    def __eq__(self, other):
        return isinstance(other, DeviceMesh) and self.mesh.tolist() == other.mesh.tolist()

    def __hash__(self):
        return hash(tuple(_flat(self.mesh.tolist())))


def init_device_mesh(device_type, mesh_shape, *, mesh_dim_names=None, backend_override=None):
    if mesh_dim_names is not None:
        if len(set(mesh_dim_names)) != len(mesh_dim_names):
            raise RuntimeError("Each mesh_dim_name must be unique.", "Found repeated mesh_dim_name in mesh_dim_names " + str(mesh_dim_names))
        if len(mesh_shape) != len(mesh_dim_names):
            raise RuntimeError("mesh_shape and mesh_dim_names should have same length!",
                               "Found len(mesh_dim_names): " + str(len(mesh_dim_names)) + " and len(mesh_shape):" + str(len(mesh_shape)) + ".")
    count = 1
    for size in mesh_shape:
        count *= size
    return DeviceMesh(device_type, torch.arange(count, dtype=torch.int).view(tuple(mesh_shape)), mesh_dim_names=mesh_dim_names)
