/* Aligned memory, and numbers whatever the locale. */
#include "base/platform.h"

#include "support/check.h"

#include <locale.h>
#include <stdint.h>
#include <string.h>

static void test_alignment(void **state) {
    (void)state;
    for (size_t align = 16; align <= 4096; align *= 2) {
        char *memory = tac_aligned_new(align, 3 * align);
        CHECK(memory != NULL && (uintptr_t)memory % align == 0);
        memset(memory, 1, 3 * align);
        tac_aligned_free(memory);
    }
    tac_aligned_free(NULL);
}

static void test_numbers(void **state) {
    (void)state;
    char *end;
    char *german = setlocale(LC_ALL, "de_DE.UTF-8"); /* where it is installed */
    CHECK_NEAR(tac_number_of_text("1.5e-3x", &end), 1.5e-3, 0);
    CHECK_STR(end, "x");
    CHECK_NEAR(tac_number_of_text("1,5", &end), 1, 0);
    CHECK_STR(end, ",5");
    CHECK_NEAR(tac_number_of_text("x", &end), 0, 0);
    CHECK_STR(end, "x");
    if (german != NULL) setlocale(LC_ALL, "C");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_alignment), cmocka_unit_test(test_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
