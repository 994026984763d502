/* Rows of numbers from comma-separated text. */
#include "cli/input/csv.h"

#include "cli/cli.h"
#include "cli/options.h"
#include "support/check.h"

#include "failure.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Writes the text to a file and reads it as rows of n numbers. */
static int read_text(const char *text, int n, tacCsv *csv) {
    char path[] = "/tmp/tactus_csv_XXXXXX";
    int descriptor = mkstemp(path);
    CHECK(descriptor >= 0);
    CHECK_INT(write(descriptor, text, strlen(text)), (long)strlen(text));
    close(descriptor);
    failure_clear();
    int result = cli_csv_read("v", path, "ctrl:", n, csv);
    unlink(path);
    return result;
}

static void check_rows(const char *text, int n, long rows, const double *expected) {
    tacCsv csv;
    CHECK_INT(read_text(text, n, &csv), CLI_GO_ON);
    CHECK_INT(csv.nrow, rows);
    CHECK_ARRAY((int)(rows * n), csv.numbers, expected, 0);
    free(csv.numbers);
}

static void reads_rows(void **state) {
    (void)state;
    const double expected[] = {1, -2.5, 3e-3, 4};
    check_rows("1,-2.5\n3e-3,4\n", 2, 2, expected);
    check_rows(" 1 , -2.5 \r\n\r\n 3e-3,\t4", 2, 2, expected);
    check_rows("a,b\n1,-2.5\n3e-3,4\n", 2, 2, expected);
}

static void picks_columns_by_name(void **state) {
    (void)state;
    const double expected[] = {1, 2, 3, 4};
    check_rows("time,ctrl:a,qpos:x,\"ctrl:b,\"\"c\"\"\"\n0,1,9,2\n1,3,9,4\n", 2, 2, expected);
}

static void grows(void **state) {
    (void)state;
    static char text[40000];
    size_t n = 0;
    tacCsv csv;
    for (int i = 0; i < 3000; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%d\n", i);
    CHECK_INT(read_text(text, 1, &csv), CLI_GO_ON);
    CHECK_INT(csv.nrow, 3000);
    CHECK(csv.numbers[2999] == 2999);
    free(csv.numbers);
}

static void refuses(const char *text, int n, const char *message) {
    tacCsv csv;
    CHECK_INT(read_text(text, n, &csv), CLI_CANNOT);
    CHECK_HAS(failure_text(), message);
    CHECK(csv.numbers == NULL);
}

static void refuses_by_line(void **state) {
    (void)state;
    refuses("1,2\n3\n", 2, ":2: 1 numbers, expected 2");
    refuses("1,2\n3,4,5\n", 2, ":2: 3 numbers, expected 2");
    refuses("1,2\n3,x\n", 2, ":2: \"x\" is not a finite number");
    refuses("1,2\n3,nan\n", 2, ":2: \"nan\" is not a finite number");
    refuses("a,b\n", 2, "holds no row of numbers");
    refuses("", 2, "holds no row of numbers");
    tacCsv csv;
    CHECK_INT(cli_csv_read("v", "/nonexistent/file.csv", "ctrl:", 1, &csv), CLI_CANNOT);
    CHECK_HAS(failure_text(), "/nonexistent/file.csv: cannot be opened");
}

static void writes_names_quoted(void **state) {
    (void)state;
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    cli_csv_name(file, "plain");
    cli_csv_name(file, "a,\"b\"");
    const double numbers[] = {0.1, -3};
    cli_csv_numbers(file, 2, numbers);
    fclose(file);
    CHECK_STR(text, "plain\"a,\"\"b\"\"\",0.10000000000000001,-3");
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_rows),      cmocka_unit_test(picks_columns_by_name), cmocka_unit_test(grows),
        cmocka_unit_test(refuses_by_line), cmocka_unit_test(writes_names_quoted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
