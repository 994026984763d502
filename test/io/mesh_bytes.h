/* Mesh files in memory, for the tests of the readers. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct MeshBytes {
    unsigned char data[4096];
    size_t size;
} MeshBytes;

static inline void put_word(MeshBytes *b, uint32_t word) {
    for (int k = 0; k < 4; k++)
        b->data[b->size++] = (unsigned char)(word >> 8 * k);
}

static inline void put_float(MeshBytes *b, float value) {
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    put_word(b, word);
}

/* Corners of the unit tetrahedron: origin and the three unit points; faces outward. */
static const float TETRAHEDRON[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const int TETRAHEDRON_FACE[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};

/* The tetrahedron as binary STL whose header starts with `word` and says `count` triangles. */
static inline void put_stl(MeshBytes *b, const char *word, uint32_t count) {
    memset(b->data, 0, 80);
    memcpy(b->data, word, strlen(word));
    b->size = 80;
    put_word(b, count);
    for (int f = 0; f < 4; f++) {
        for (int k = 0; k < 3; k++)
            put_float(b, 0); /* normal */
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++)
                put_float(b, TETRAHEDRON[TETRAHEDRON_FACE[f][c]][k]);
        b->data[b->size++] = 0;
        b->data[b->size++] = 0;
    }
}

/* The same as MSH, with or without normals and texture coordinates. */
static inline void put_msh(MeshBytes *b, int normals, int texcoords) {
    b->size = 0;
    put_word(b, 4), put_word(b, normals ? 4 : 0), put_word(b, texcoords ? 4 : 0), put_word(b, 4);
    for (int i = 0; i < 12; i++)
        put_float(b, TETRAHEDRON[i / 3][i % 3]);
    for (int i = 0; i < (normals ? 12 : 0) + (texcoords ? 8 : 0); i++)
        put_float(b, 1);
    for (int i = 0; i < 12; i++)
        put_word(b, (uint32_t)TETRAHEDRON_FACE[i / 3][i % 3]);
}
