# Flags every target of ours gets, and the functions that make one.

# No contraction, no reassociation: the same bits from every compiler and optimization level.
# Initialisers may leave out last fields: {kind, id} of a tacOutput without a second id.
# -fno-math-errno and -fno-trapping-math change no value; they let sqrt be one instruction and branches be selects.
add_library(tactus_plain_flags INTERFACE)
target_compile_options(tactus_plain_flags INTERFACE
  -Wall -Wextra -Wno-missing-field-initializers -Wpedantic -Werror -Wshadow -Wstrict-prototypes
  -Wmissing-prototypes -Wvla -Wformat=2 -Wundef -Wdouble-promotion -ffp-contract=off -fno-math-errno -fno-trapping-math)
target_compile_definitions(tactus_plain_flags INTERFACE _POSIX_C_SOURCE=200809L $<$<BOOL:${TACTUS_CHECKS}>:TAC_CHECKS>)
if(MINGW) # printf as C17 has it
  target_compile_definitions(tactus_plain_flags INTERFACE __USE_MINGW_ANSI_STDIO=1)
endif()
# The same with the sanitizers that were asked for.
add_library(tactus_flags INTERFACE)
target_link_libraries(tactus_flags INTERFACE tactus_plain_flags)
if(TACTUS_QUAD) # none of the warnings, which are about doubles
  target_compile_options(tactus_flags INTERFACE -include ${PROJECT_SOURCE_DIR}/test/quad/quad.h -w)
endif()
if(TACTUS_SANITIZE)
  target_compile_options(tactus_flags INTERFACE -fsanitize=${TACTUS_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  target_link_options(tactus_flags INTERFACE -fsanitize=${TACTUS_SANITIZE})
endif()
