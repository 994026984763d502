set(cli_files main.c options.c model_file.c state_file.c stepping.c parameters.c derivative.c json_text.c quantities.c
  output_file.c progress.c csv.c controls.c motion.c simulate.c motion_file.c base64.c page_data.c page.c cmd_info.c cmd_eval.c cmd_sim.c cmd_grad.c cmd_random.c cmd_help.c)
