#include "cli/report/page/base64.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

char *cli_base64(const void *bytes, size_t n) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *in = bytes;
    char *text = malloc(4 * ((n + 2) / 3) + 1), *out = text;
    if (text == NULL) return NULL;
    for (size_t i = 0; i < n; i += 3) {
        size_t left = n - i;
        unsigned long group = (unsigned long)in[i] << 16;
        if (left > 1) group |= (unsigned long)in[i + 1] << 8;
        if (left > 2) group |= in[i + 2];
        *out++ = digits[group >> 18 & 63];
        *out++ = digits[group >> 12 & 63];
        *out++ = left > 1 ? digits[group >> 6 & 63] : '=';
        *out++ = left > 2 ? digits[group & 63] : '=';
    }
    *out = '\0';
    return text;
}

static void store_little_endian(unsigned char *out, uint32_t word) {
    for (int i = 0; i < 4; i++)
        out[i] = (unsigned char)(word >> 8 * i & 0xff);
}

char *cli_base64_floats(size_t n, const double *values) {
    unsigned char *bytes = malloc(4 * n + 1);
    if (bytes == NULL) return NULL;
    for (size_t i = 0; i < n; i++) {
        float number = (float)values[i];
        uint32_t word;
        memcpy(&word, &number, sizeof word);
        store_little_endian(bytes + 4 * i, word);
    }
    char *text = cli_base64(bytes, 4 * n);
    free(bytes);
    return text;
}

char *cli_base64_ints(size_t n, const int *values) {
    unsigned char *bytes = malloc(4 * n + 1);
    if (bytes == NULL) return NULL;
    for (size_t i = 0; i < n; i++)
        store_little_endian(bytes + 4 * i, (uint32_t)values[i]);
    char *text = cli_base64(bytes, 4 * n);
    free(bytes);
    return text;
}
