set(io_files report.c)
