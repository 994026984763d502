# The interpreter that the package is built for and tested with: Debian's own, whose modules (NumPy, torch) are found there
# alone, or the first on the path. TACTUS_PYTHON is on where it has headers and NumPy.
if(EXISTS /usr/bin/python3)
  set(TACTUS_PYTHON_PROGRAM /usr/bin/python3 CACHE FILEPATH "The Python of the package")
else()
  find_program(TACTUS_PYTHON_PROGRAM python3)
endif()
set(python_there OFF)
if(TACTUS_PYTHON_PROGRAM)
  execute_process(COMMAND ${TACTUS_PYTHON_PROGRAM} -c
    "import sys, sysconfig, numpy; assert sys.version_info >= (3, 11); print(sysconfig.get_path('include'))"
    OUTPUT_VARIABLE TACTUS_PYTHON_INCLUDE OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed ERROR_QUIET)
  if(NOT failed AND EXISTS ${TACTUS_PYTHON_INCLUDE}/Python.h)
    set(python_there ON)
  endif()
endif()
if(NOT PROJECT_IS_TOP_LEVEL OR NOT TACTUS_IO OR MINGW)
  set(python_there OFF)
endif()
