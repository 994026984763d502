set(io_files
  numbers.c
  report.c
  xml.c
)
