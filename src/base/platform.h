/* Differences between systems and compilers. */
#pragma once

#include <stddef.h>

/* The arguments `first` on are formatted as argument `text` says (0: they are a va_list). The formats are those of C17,
 * which Windows' own printf is not. */
#if defined(__MINGW32__)
#define TAC_FORMAT(text, first) __attribute__((format(gnu_printf, text, first)))
#else
#define TAC_FORMAT(text, first) __attribute__((format(printf, text, first)))
#endif

/* Memory whose address is a multiple of `align`, a power of two that divides bytes; NULL: out of memory. */
void *tac_aligned_new(size_t align, size_t bytes);
/* Frees it; may be NULL. */
void tac_aligned_free(void *memory);

/* strtod in the "C" locale, whatever locale the thread has. */
double tac_number_of_text(const char *text, char **end);
