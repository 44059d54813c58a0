// SPDX-License-Identifier: Apache-2.0
#pragma once
// Handles to the family's own operators, for those written with them.

#include "core/dispatch/functions.h"

namespace loupe::linalg::call {

using fn::ThreeTensors;
using fn::TwoTensors;
using FourTensors = std::tuple<Tensor, Tensor, Tensor, Tensor>;

inline const OperatorHandle<ThreeTensors> lu_factor_ex("aten::linalg_lu_factor_ex");
inline const OperatorHandle<ThreeTensors> lu("aten::linalg_lu");
inline const OperatorHandle<ThreeTensors> lu_unpack("aten::lu_unpack");
inline const OperatorHandle<> lu_solve("aten::linalg_lu_solve");
inline const OperatorHandle<> solve_triangular("aten::linalg_solve_triangular");
inline const OperatorHandle<TwoTensors> triangular_solve("aten::triangular_solve");
inline const OperatorHandle<FourTensors> solve_all("aten::_linalg_solve_ex");
inline const OperatorHandle<> solve("aten::linalg_solve");
inline const OperatorHandle<TwoTensors> inv_ex("aten::linalg_inv_ex");
inline const OperatorHandle<> inv("aten::linalg_inv");
inline const OperatorHandle<ThreeTensors> det_all("aten::_linalg_det");
inline const OperatorHandle<> det("aten::linalg_det");
inline const OperatorHandle<FourTensors> slogdet_all("aten::_linalg_slogdet");
inline const OperatorHandle<TwoTensors> cholesky_ex("aten::linalg_cholesky_ex");
inline const OperatorHandle<> cholesky_solve("aten::cholesky_solve");
inline const OperatorHandle<> cholesky_solve_helper("aten::_cholesky_solve_helper");
inline const OperatorHandle<ThreeTensors> ldl_factor_ex("aten::linalg_ldl_factor_ex");
inline const OperatorHandle<TwoTensors> qr("aten::linalg_qr");
inline const OperatorHandle<> householder_product("aten::linalg_householder_product");
inline const OperatorHandle<> ormqr("aten::ormqr");
inline const OperatorHandle<ThreeTensors> svd_all("aten::_linalg_svd");
inline const OperatorHandle<ThreeTensors> svd("aten::linalg_svd");
inline const OperatorHandle<> svdvals("aten::linalg_svdvals");
inline const OperatorHandle<TwoTensors> eigh_all("aten::_linalg_eigh");
inline const OperatorHandle<TwoTensors> eigh("aten::linalg_eigh");
inline const OperatorHandle<> eigvalsh("aten::linalg_eigvalsh");
inline const OperatorHandle<TwoTensors> eig("aten::linalg_eig");
inline const OperatorHandle<> pinv("aten::linalg_pinv.atol_rtol_tensor");
inline const OperatorHandle<> pinv_float("aten::linalg_pinv.atol_rtol_float");
inline const OperatorHandle<> matrix_norm("aten::linalg_matrix_norm");
inline const OperatorHandle<> matrix_norm_str("aten::linalg_matrix_norm.str_ord");
inline const OperatorHandle<> matrix_exp("aten::linalg_matrix_exp");

}  // namespace loupe::linalg::call
