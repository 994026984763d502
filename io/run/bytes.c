#include "io/run/bytes.h"

#include <stdlib.h>
#include <string.h>

static int reserve(tacBytes *out, size_t n) {
    if (out->failed) return 0;
    if (out->room - out->size >= n) return 1;
    size_t room = 2 * out->room > out->size + n ? 2 * out->room : out->size + n;
    unsigned char *data = realloc(out->data, room);
    if (data == NULL) {
        out->failed = 1;
        return 0;
    }
    out->data = data;
    out->room = room;
    return 1;
}

void tac_bytes_block(tacBytes *out, const void *block, size_t size) {
    if (size == 0 || !reserve(out, size)) return;
    memcpy(out->data + out->size, block, size);
    out->size += size;
}

void tac_bytes_word(tacBytes *out, uint64_t word) {
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(word >> 8 * i);
    tac_bytes_block(out, bytes, sizeof bytes);
}

void tac_bytes_real(tacBytes *out, double value) {
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    tac_bytes_word(out, word);
}

const unsigned char *tac_bytes_read_block(tacByteReader *in, size_t size) {
    if (in->failed || size > in->left) {
        in->failed = 1;
        return NULL;
    }
    const unsigned char *at = in->at;
    in->at += size;
    in->left -= size;
    return at;
}

uint64_t tac_bytes_read_word(tacByteReader *in) {
    const unsigned char *at = tac_bytes_read_block(in, 8);
    uint64_t word = 0;
    for (int i = 0; at != NULL && i < 8; i++)
        word |= (uint64_t)at[i] << 8 * i;
    return word;
}

double tac_bytes_read_real(tacByteReader *in) {
    uint64_t word = tac_bytes_read_word(in);
    double value;
    memcpy(&value, &word, sizeof value);
    return value;
}
