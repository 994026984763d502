/* Base64 against the examples of RFC 4648, section 10. */
#include "cli/report/page/base64.h"

#include "support/check.h"

#include <stdlib.h>
#include <string.h>

static void encodes(const char *bytes, const char *expected) {
    char *text = cli_base64(bytes, strlen(bytes));
    CHECK(text != NULL);
    CHECK_STR(text, expected);
    free(text);
}

static void encodes_the_examples(void **state) {
    (void)state;
    encodes("", "");
    encodes("f", "Zg==");
    encodes("fo", "Zm8=");
    encodes("foo", "Zm9v");
    encodes("foob", "Zm9vYg==");
    encodes("fooba", "Zm9vYmE=");
    encodes("foobar", "Zm9vYmFy");
    encodes("\xff\xfe\xfd", "//79");
}

static void encodes_little_endian(void **state) {
    (void)state;
    const double numbers[] = {1, -2};
    const int integers[] = {1, -1};
    char *floats = cli_base64_floats(2, numbers), *ints = cli_base64_ints(2, integers);
    CHECK_STR(floats, "AACAPwAAAMA="); /* 00 00 80 3f 00 00 00 c0 */
    CHECK_STR(ints, "AQAAAP////8=");
    free(floats);
    free(ints);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(encodes_the_examples), cmocka_unit_test(encodes_little_endian)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
