/* XML trees and numbers: values, positions, and what is refused. */
#include "io/numbers.h"
#include "io/xml.h"
#include "support/check.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Parsed {
    tacXml xml;
    xmlNode *root;
    tacStatus status;
    tacError err;
} Parsed;

static Parsed parse_bytes(const char *text, size_t size) {
    Parsed p;
    memset(&p, 0, sizeof p);
    tac_xml_init(&p.xml, NULL);
    p.status = tac_xml_parse(&p.xml, "a.xml", text, size, &p.root, &p.err);
    return p;
}
static Parsed parse(const char *text) { return parse_bytes(text, strlen(text)); }

static void check_refused(const char *text, const char *message) {
    Parsed p = parse(text);
    CHECK_INT(p.status, TAC_ERR_SYNTAX);
    CHECK_HAS(p.err.text, message);
    tac_xml_free(&p.xml);
}

static void test_tree(void **state) {
    (void)state;
    Parsed p = parse("<?xml version='1.0'?>\n<!-- a -- b --><a x='1 &amp; 2'>\n<b n='&#65;&lt;'/>text<c/>\n<b/></a>");
    CHECK_INT(p.status, TAC_OK);
    CHECK_STR(tac_xml_name(p.root), "a");
    CHECK_STR(tac_xml_get(p.root, "x"), "1 & 2");
    CHECK(tac_xml_get(p.root, "y") == NULL);
    xmlNode *b = tac_xml_child(p.root, NULL);
    CHECK_STR(tac_xml_get(b, "n"), "A<");
    CHECK_INT(tac_xml_line(b), 3);
    CHECK(tac_xml_is(tac_xml_next(b, NULL), "c"));
    CHECK_INT(tac_xml_line(tac_xml_next(b, "b")), 4);
    CHECK(tac_xml_next(tac_xml_next(b, "b"), NULL) == NULL);
    tac_xml_free(&p.xml);
}

/* Lines beyond libxml2's 16 bits. */
static void test_many_lines(void **state) {
    (void)state;
    enum { LINES = 200000 };
    char *text = malloc(LINES + 64);
    memcpy(text, "<a>", 3);
    memset(text + 3, '\n', LINES);
    strcpy(text + 3 + LINES, "<b name='far' size='x'/></a>");
    Parsed p = parse(text);
    double size;
    CHECK_INT(tac_xml_line(tac_xml_child(p.root, NULL)), LINES + 1);
    CHECK_INT(tac_xml_doubles(tac_xml_child(p.root, NULL), "size", 1, 1, &size, NULL, &p.err), TAC_ERR_SYNTAX);
    CHECK_STR(p.err.text,
              "a.xml:200001: element <b name=\"far\">: attribute 'size': found \"x\", expected a finite number");
    tac_xml_free(&p.xml);
    free(text);
}

static void test_refused(void **state) {
    (void)state;
    check_refused("", "a.xml:1: the file is empty");
    check_refused("   ", "a.xml:1: malformed XML");
    check_refused("<a>\n<b>\n</a>", "a.xml:3: malformed XML");
    check_refused("<a x='1' x='2'/>", "Attribute x redefined");
    check_refused("<a>&bomb;</a>", "Entity 'bomb' not defined");
    check_refused("<a b='&bomb;'/>", "Entity 'bomb' not defined");
    check_refused("<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "a.xml:1: found a document type declaration");
    check_refused("<!DOCTYPE a SYSTEM 'http://x.invalid/a.dtd'><a/>", "entities are refused");
    check_refused("<a/><b/>", "Extra content");
    check_refused("\x01\x02\x03", "malformed XML");
}

/* Two million levels: refused without using the stack. */
static void test_deep(void **state) {
    (void)state;
    enum { DEPTH = 2000000 };
    char *text = malloc(3 * (size_t)DEPTH + 1);
    for (int i = 0; i < DEPTH; i++)
        memcpy(text + 3 * (size_t)i, "<a>", 3);
    text[3 * (size_t)DEPTH] = '\0';
    check_refused(text, "nested too deeply");
    free(text);
}

static void check_double(const char *text, double expected) {
    double value;
    int n;
    CHECK_INT(tac_numbers_read(text, 1, 1, &value, &n, NULL), TAC_OK);
    CHECK(memcmp(&value, &expected, sizeof value) == 0); /* same bits, sign of zero included */
}

static void test_numbers(void **state) {
    (void)state;
    check_double("0.1", 0.1);
    check_double(" -0 ", -0.0);
    check_double("+1.", 1.0);
    check_double(".5e1", 5.0);
    check_double("1e-320", 1e-320);
    check_double("1e-5000", 0.0);
    check_double("0e99999999999", 0.0);
    check_double("123456789012345678901234567890", 123456789012345678901234567890.0);
    check_double("0.30000000000000004", 0.30000000000000004);
    check_double("9007199254740993", 9007199254740993.0);
    check_double("1.7976931348623157e308", 1.7976931348623157e308);
    check_double("2.2250738585072011e-308", 2.2250738585072011e-308);
}

/* Every printed double comes back with the same bits, by the short way and by the long one. */
static void test_round_trip(void **state) {
    (void)state;
    uint64_t bits = 1;
    for (int i = 0; i < 20000; i++) {
        bits = bits * 6364136223846793005u + 1442695040888963407u;
        double value, read;
        int n;
        memcpy(&value, &bits, sizeof value);
        if (value != value || value - value != 0) continue;
        if (i % 2 == 0) value = (double)((int64_t)bits >> 30) / 1e6;
        char text[64];
        snprintf(text, sizeof text, i % 2 == 0 ? "%.6f" : "%.17g", value);
        CHECK_INT(tac_numbers_read(text, 1, 1, &read, &n, NULL), TAC_OK);
        CHECK(memcmp(&value, &read, sizeof value) == 0);
    }
}

static void check_bad_number(const char *text, int min, int max, const char *message) {
    double value[4];
    int n;
    tacError err;
    CHECK_INT(tac_numbers_read(text, min, max, value, &n, &err), TAC_ERR_SYNTAX);
    CHECK_HAS(err.text, message);
}

static void test_bad_numbers(void **state) {
    (void)state;
    const char *const bad[] = {"nan", "inf",   "-inf", "1x", "x", "1e",  "1e+",
                               "--1", "1.2.3", "0x10", ".",  "+", "1,5", "1d3"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        check_bad_number(bad[i], 1, 1, "expected a finite number");
    check_bad_number("1e400", 1, 1, "found \"1e400\", expected a number below 1.8e308");
    check_bad_number("1 2", 3, 3, "found 2 numbers, expected 3");
    check_bad_number("1 2 3 4", 1, 3, "found 4 numbers, expected at most 3");
    check_bad_number("", 1, 4, "found 0 numbers, expected at least 1");
    int value[2], n;
    tacError err;
    CHECK_INT(tac_numbers_read_int("7 -3", 1, 2, value, &n, &err), TAC_OK);
    CHECK_INT(value[1], -3);
    CHECK_INT(tac_numbers_read_int("1.0", 1, 1, value, &n, &err), TAC_ERR_SYNTAX);
    CHECK_HAS(err.text, "expected a whole number");
    CHECK_INT(tac_numbers_read_int("2147483648", 1, 1, value, &n, &err), TAC_ERR_SYNTAX);
    CHECK_INT(tac_numbers_read_int("99999999999999999999999", 1, 1, value, &n, &err), TAC_ERR_SYNTAX);
}

static void test_lists(void **state) {
    (void)state;
    Parsed p = parse("\n<a v='1 2\n3.5' i='4 5' e='' k='on' b='yes'/>");
    double *v;
    int *i, n, k = -1;
    CHECK_INT(tac_xml_double_list(p.root, "v", &v, &n, &p.err), TAC_OK);
    CHECK_INT(n, 3);
    CHECK_NEAR(v[2], 3.5, 0);
    free(v);
    CHECK_INT(tac_xml_int_list(p.root, "i", &i, &n, &p.err), TAC_OK);
    CHECK_INT(i[1], 5);
    free(i);
    CHECK_INT(tac_xml_double_list(p.root, "e", &v, &n, &p.err), TAC_OK);
    CHECK(v == NULL && n == 0);
    static const tacKeyword table[] = {{"off", 0}, {"on", 1}, {NULL, 0}};
    CHECK_INT(tac_xml_keyword(p.root, "k", table, &k, &p.err), TAC_OK);
    CHECK_INT(k, 1);
    CHECK_INT(tac_xml_keyword(p.root, "b", table, &k, &p.err), TAC_ERR_SYNTAX);
    CHECK_STR(p.err.text, "a.xml:2: element <a>: attribute 'b': found \"yes\", expected one of off, on");
    tac_xml_free(&p.xml);
}

/* A comma locale changes nothing (where the system has one). */
static void test_locale(void **state) {
    (void)state;
    const char *names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "C.UTF-8"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (setlocale(LC_ALL, names[i]) != NULL) break;
    check_double("1.5", 1.5);
    check_double("0.30000000000000004", 3 * 0.1);
    setlocale(LC_ALL, "C");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tree),        cmocka_unit_test(test_many_lines), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_deep),        cmocka_unit_test(test_numbers),    cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_bad_numbers), cmocka_unit_test(test_lists),      cmocka_unit_test(test_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
