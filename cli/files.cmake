set(cli_files
  main.c memory.c options.c model_file.c state_file.c stepping.c json_text.c contact_list.c quantities.c output_file.c progress.c csv.c
  controls.c motion.c simulate.c motion_file.c base64.c page_data.c page.c
  project_start.c
  shared_params.c
  parameters.c derivative.c differences.c draw_contact.c
  draw_state.c named_state.c active_set.c step_column.c gradient_check.c kept_state.c param_check.c error_plot.c
  problem_file.c discrete_motion.c
  answer.c soft_answer.c mujoco_answer.c answer_file.c comparison.c
  bench_model.c mujoco_library.c mujoco_peer.c ../bench/timing.c
  cmd_info.c cmd_eval.c cmd_distance.c cmd_sim.c cmd_grad.c cmd_check.c cmd_bench.c cmd_solve.c cmd_compare.c cmd_reproduce.c cmd_random.c cmd_help.c)
