/* Words, numbers and blocks in a row, little endian. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* A growing row. Running out of memory is remembered, so that only the end checks. */
typedef struct tacBytes {
    unsigned char *data;
    size_t size, room;
    int failed;
} tacBytes;

void tac_bytes_word(tacBytes *out, uint64_t word);
void tac_bytes_real(tacBytes *out, double value);
void tac_bytes_block(tacBytes *out, const void *block, size_t size);

/* A row that is read. Reading past its end is remembered and gives zeros. */
typedef struct tacByteReader {
    const unsigned char *at;
    size_t left;
    int failed;
} tacByteReader;

uint64_t tac_bytes_read_word(tacByteReader *in);
double tac_bytes_read_real(tacByteReader *in);
/* The next `size` bytes, or NULL. */
const unsigned char *tac_bytes_read_block(tacByteReader *in, size_t size);
