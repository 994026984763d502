set(cli_files main.c)
