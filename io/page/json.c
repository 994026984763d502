#include "io/page/json.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { DIGITS = 17, NUMBER = 40, LETTER = 8, CHUNK = 768 /* bytes, a multiple of 12 */ };

/* A comma where something stands before, and the key. */
static void begin_value(tacText *out, const char *key) {
    char last = out->size > 0 ? out->text[out->size - 1] : '{';
    if (last != '{' && last != '[') tac_text_add(out, ",");
    if (key == NULL) return;
    tac_text_add(out, "\"");
    tac_text_add(out, key);
    tac_text_add(out, "\":");
}

void tac_json_open(tacText *out, const char *key, char bracket) {
    begin_value(out, key);
    tac_text_add(out, bracket == '{' ? "{" : "[");
}

void tac_json_close(tacText *out, char bracket) { tac_text_add(out, bracket == '{' ? "}" : "]"); }

void tac_json_number(tacText *out, const char *key, double value) {
    char number[NUMBER];
    begin_value(out, key);
    if (isfinite(value))
        snprintf(number, sizeof number, "%.*g", DIGITS, value);
    else
        snprintf(number, sizeof number, "null");
    char *comma = strchr(number, ','); /* of the locale */
    if (comma != NULL) *comma = '.';
    tac_text_add(out, number);
}

void tac_json_integer(tacText *out, const char *key, long value) {
    begin_value(out, key);
    tac_text_format(out, "%ld", value);
}

void tac_json_boolean(tacText *out, const char *key, int value) {
    begin_value(out, key);
    tac_text_add(out, value ? "true" : "false");
}

/* Bytes of the UTF-8 letter that begins here; 0: it is none. */
static int letter_length(const unsigned char *at) {
    int n = at[0] < 0x80 ? 1 : at[0] >= 0xc2 && at[0] < 0xe0 ? 2 : at[0] >= 0xe0 && at[0] < 0xf0 ? 3 : 0;
    if (at[0] >= 0xf0 && at[0] < 0xf5) n = 4;
    for (int i = 1; i < n; i++)
        if ((at[i] & 0xc0) != 0x80) return 0;
    return n;
}

void tac_json_string(tacText *out, const char *key, const char *text) {
    begin_value(out, key);
    tac_text_add(out, "\"");
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0';) {
        char letter[LETTER] = "?";
        int n = letter_length(at);
        if (*at == '"' || *at == '\\')
            snprintf(letter, sizeof letter, "\\%c", *at);
        else if (*at < ' ' || *at == '<')
            snprintf(letter, sizeof letter, "\\u%04x", *at);
        else if (n > 0)
            snprintf(letter, sizeof letter, "%.*s", n, (const char *)at);
        tac_text_add(out, letter);
        at += n > 0 ? n : 1;
    }
    tac_text_add(out, "\"");
}

void tac_json_numbers(tacText *out, const char *key, int n, const double *values) {
    tac_json_open(out, key, '[');
    for (int i = 0; i < n; i++)
        tac_json_number(out, NULL, values[i]);
    tac_json_close(out, '[');
}

void tac_json_vec3(tacText *out, const char *key, tacVec3 v) {
    const double values[3] = {v.x, v.y, v.z};
    tac_json_numbers(out, key, 3, values);
}

/* --- base64 ------------------------------------------------------------------------------------------------------- */

static void add_base64(tacText *out, const unsigned char *in, size_t n) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char text[4 * CHUNK / 3 + 1], *at = text;
    for (size_t i = 0; i < n; i += 3) {
        size_t left = n - i;
        unsigned long group = (unsigned long)in[i] << 16;
        if (left > 1) group |= (unsigned long)in[i + 1] << 8;
        if (left > 2) group |= in[i + 2];
        *at++ = digits[group >> 18 & 63];
        *at++ = digits[group >> 12 & 63];
        *at++ = left > 1 ? digits[group >> 6 & 63] : '=';
        *at++ = left > 2 ? digits[group & 63] : '=';
    }
    *at = '\0';
    tac_text_add(out, text);
}

static void store_little_endian(unsigned char *out, uint32_t word) {
    for (int i = 0; i < 4; i++)
        out[i] = (unsigned char)(word >> 8 * i & 0xff);
}

static uint32_t word_of(const double *reals, const int *integers, size_t i) {
    if (integers != NULL) return (uint32_t)integers[i];
    float number = (float)reals[i];
    uint32_t word;
    memcpy(&word, &number, sizeof word);
    return word;
}

/* Either of reals and integers, in pieces that need no padding but the last. */
static void add_words(tacText *out, const char *key, size_t n, const double *reals, const int *integers) {
    unsigned char bytes[CHUNK];
    begin_value(out, key);
    tac_text_add(out, "\"");
    for (size_t i = 0; i < n;) {
        size_t used = 0;
        for (; i < n && used < CHUNK; i++, used += 4)
            store_little_endian(bytes + used, word_of(reals, integers, i));
        add_base64(out, bytes, used);
    }
    tac_text_add(out, "\"");
}

void tac_json_floats(tacText *out, const char *key, size_t n, const double *values) {
    add_words(out, key, n, values, NULL);
}

void tac_json_ints(tacText *out, const char *key, size_t n, const int *values) { add_words(out, key, n, NULL, values); }
