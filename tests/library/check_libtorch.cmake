# Programs written for LibTorch print what they print with LibTorch; their CMakeLists.txt is LibTorch's too.
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
build_project(${HERE}/libtorch libtorch -DTorch_DIR=${PREFIX}/lib/cmake/Tensorloupe/torch)
foreach(name classify containers data frontend function functional optimizers options parts printing recurrent saving tensors training
    transformer)
  expect(${WORK}/libtorch/${name} ${HERE}/libtorch/${name}.expected ${HERE}/models)
endforeach()
