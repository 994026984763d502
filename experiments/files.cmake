# The experiments are part of the program.
set(experiment_files experiment.c scene.c plot.c nimble_jacobians.c nimble_lcp_guess.c nimble_bounce.c nimble_drone.c
  jade_sliding.c jade_thin_plate.c jade_dantzig.c discrete.c dojo_friction_cone.c dojo_energy.c dojo_dzhanibekov.c
  dojo_tippe_top.c dojo_gradients.c dojo_atlas_drop.c dojo_low_frequency.c dojo_timing.c barrier.c dojo_convergence.c
  dojo_push_box.c)
list(TRANSFORM experiment_files PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
# Two look behind include/: the solver's methods are not public alone.
set(experiment_files_inside ${CMAKE_CURRENT_LIST_DIR}/jade_dantzig.c ${CMAKE_CURRENT_LIST_DIR}/barrier.c)
