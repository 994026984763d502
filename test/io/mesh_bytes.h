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

static inline void put_text(MeshBytes *b, const char *text) {
    memcpy(b->data + b->size, text, strlen(text));
    b->size += strlen(text);
}

/* The last `width` bytes the other way round. */
static inline void turn_around(MeshBytes *b, size_t width) {
    unsigned char *p = b->data + b->size - width;
    for (size_t k = 0; k < width / 2; k++) {
        unsigned char swap = p[k];
        p[k] = p[width - 1 - k], p[width - 1 - k] = swap;
    }
}

/* The same as binary PLY, with a number and a list between the coordinates and the faces that do not count. */
static inline void put_ply(MeshBytes *b, int big_endian) {
    b->size = 0;
    put_text(b, "ply\nformat binary_");
    put_text(b, big_endian ? "big" : "little");
    put_text(b,
             "_endian 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nproperty uint8 red\n"
             "element other 1\nproperty list uint8 int32 what\nelement face 4\n"
             "property list uchar int vertex_indices\nend_header\n");
    for (int i = 0; i < 12; i++) {
        put_float(b, TETRAHEDRON[i / 3][i % 3]);
        if (big_endian) turn_around(b, 4);
        if (i % 3 == 2) b->data[b->size++] = 200;
    }
    b->data[b->size++] = 2;
    put_word(b, 7), put_word(b, 7);
    for (int i = 0; i < 12; i++) {
        if (i % 3 == 0) b->data[b->size++] = 3;
        put_word(b, (uint32_t)TETRAHEDRON_FACE[i / 3][i % 3]);
        if (big_endian) turn_around(b, 4);
    }
}
