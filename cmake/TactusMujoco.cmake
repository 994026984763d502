# MuJoCo as it is installed now. Its headers and library are searched for anew at every configure (NO_CACHE), and a
# definition tells the sources, so that what was compiled before they came, or went, is compiled again.
#   tactus_mujoco_headers  an interface for what finds the library at run time; defines TAC_WITH_MUJOCO where they are
#   tactus_mujoco          an interface for what links the library; a target only where both are there
find_path(MUJOCO_INCLUDE mujoco/mujoco.h NO_CACHE)
find_library(MUJOCO_LIBRARY mujoco NO_CACHE)

add_library(tactus_mujoco_headers INTERFACE)
if(MUJOCO_INCLUDE)
  # A system header: its warnings are not ours.
  target_include_directories(tactus_mujoco_headers SYSTEM INTERFACE ${MUJOCO_INCLUDE})
  target_compile_definitions(tactus_mujoco_headers INTERFACE TAC_WITH_MUJOCO)
endif()
if(MUJOCO_INCLUDE AND MUJOCO_LIBRARY)
  add_library(tactus_mujoco INTERFACE)
  target_link_libraries(tactus_mujoco INTERFACE tactus_mujoco_headers ${MUJOCO_LIBRARY})
endif()
