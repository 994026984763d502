#include "base/platform.h"

#include <locale.h>
#include <stdlib.h>

#if defined(_WIN32)

#include <malloc.h>

void *tac_aligned_new(size_t align, size_t bytes) { return _aligned_malloc(bytes, align); }

void tac_aligned_free(void *memory) { _aligned_free(memory); }

double tac_number_of_text(const char *text, char **end) {
    _locale_t c_locale = _create_locale(LC_ALL, "C");
    double value = _strtod_l(text, end, c_locale);
    _free_locale(c_locale);
    return value;
}

#else

void *tac_aligned_new(size_t align, size_t bytes) { return aligned_alloc(align, bytes); }

void tac_aligned_free(void *memory) { free(memory); }

double tac_number_of_text(const char *text, char **end) {
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(c_locale);
    double value = strtod(text, end);
    uselocale(before);
    freelocale(c_locale);
    return value;
}

#endif
