/* Model <-> bytes, and bytes that lie. */
#include "model/sample.h"
#include "support/check.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* A model packed into fresh memory of exactly its size, so that a sanitizer sees every byte beyond. */
static unsigned char *packed(const tacModel *m, size_t *size) {
    *size = tac_model_pack_bytes(m);
    unsigned char *bytes = malloc(*size);
    CHECK(*size > 0 && bytes != NULL);
    CHECK_INT(tac_model_pack(m, bytes, *size, NULL), TAC_OK);
    return bytes;
}

/* Makes the checksum true again, so that what follows it is put to the test. */
static void seal(unsigned char *bytes, size_t size) {
    uint64_t sum = tac_hash(bytes, size - 8, 0);
    for (int i = 0; i < 8; i++)
        bytes[size - 8 + (size_t)i] = (unsigned char)(sum >> (8 * i));
}

static void round_trip(void **state) {
    (void)state;
    tacModel *m = sample_model(), *back = NULL;
    CHECK_INT(tac_param_register(m, "geom/box.size[0]", NULL, NULL), TAC_OK);
    CHECK_INT(tac_param_register(m, "body/arm.mass", NULL, NULL), TAC_OK);
    size_t size, size2;
    unsigned char *bytes = packed(m, &size);
    tacError err = {0};
    CHECK_INT(tac_model_unpack(bytes, size, &back, &err), TAC_OK);
    CHECK(tac_model_hash(back) == tac_model_hash(m));
    CHECK_INT(back->nparam, 2);
    CHECK_STR(tac_model_name(back, TAC_KIND_GEOM, 1), "box");
    CHECK_INT((long)(back->bytes - m->bytes), 0);
    unsigned char *bytes2 = packed(back, &size2);
    CHECK(size == size2 && memcmp(bytes, bytes2, size) == 0);
    free(bytes);
    free(bytes2);
    tac_model_free(m);
    tac_model_free(back);
}

/* The same bytes from every build: a small model's never change without a new version. */
static void bytes_are_deterministic(void **state) {
    (void)state;
    tacModel *a = sample_model(), *b = sample_model();
    size_t na, nb;
    unsigned char *x = packed(a, &na), *y = packed(b, &nb);
    CHECK(na == nb && memcmp(x, y, na) == 0);
    CHECK(memcmp(x, "TACTUSM\n\2\0\0\0", 12) == 0);
    free(x);
    free(y);
    tac_model_free(a);
    tac_model_free(b);
}

static void every_length(void **state) {
    (void)state;
    tacModel *m = sample_model(), *back = NULL;
    size_t size;
    unsigned char *bytes = packed(m, &size);
    for (size_t n = 0; n < size; n++) {
        unsigned char *cut = malloc(n > 0 ? n : 1);
        memcpy(cut, bytes, n);
        CHECK(tac_model_unpack(cut, n, &back, NULL) != TAC_OK);
        if (n > 64) seal(cut, n), CHECK(tac_model_unpack(cut, n, &back, NULL) != TAC_OK);
        free(cut);
    }
    CHECK(back == NULL);
    tacError err;
    CHECK_INT(tac_model_pack(m, bytes, size - 1, &err), TAC_ERR_SHAPE);
    CHECK_INT(tac_model_pack(NULL, bytes, size, &err), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_model_unpack(NULL, size, &back, &err), TAC_ERR_ARGUMENT);
    free(bytes);
    tac_model_free(m);
}

static void damage_is_noticed(void **state) {
    (void)state;
    tacModel *m = sample_model(), *back = NULL;
    size_t size;
    unsigned char *bytes = packed(m, &size);
    tacError err;
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= (unsigned char)(1 << (i % 8));
        CHECK(tac_model_unpack(bytes, size, &back, &err) != TAC_OK);
        bytes[i] ^= (unsigned char)(1 << (i % 8));
    }
    CHECK(back == NULL);
    bytes[0] = 'X';
    CHECK_INT(tac_model_unpack(bytes, size, &back, &err), TAC_ERR_SYNTAX);
    CHECK_STR(err.text, "the bytes are not a packed model");
    bytes[0] = 'T', bytes[8] = 9;
    CHECK_INT(tac_model_unpack(bytes, size, &back, &err), TAC_ERR_VERSION);
    CHECK_STR(err.text, "packed as version 9, expected 2");
    bytes[8] = 2, bytes[12] ^= 1;
    CHECK_INT(tac_model_unpack(bytes, size, &back, &err), TAC_ERR_VERSION);
    bytes[12] ^= 1, bytes[size - 1] ^= 1;
    CHECK_INT(tac_model_unpack(bytes, size, &back, &err), TAC_ERR_CHECKSUM);
    free(bytes);
    tac_model_free(m);
}

/* Uses a model in every way this folder knows. */
static void exercise(tacModel *m) {
    char path[256];
    double value;
    for (tacKind kind = TAC_KIND_NONE; kind < TAC_KIND_COUNT; kind++)
        for (int i = 0; i < tac_model_count(m, kind); i++)
            tac_model_find(m, kind, tac_model_name(m, kind, i));
    int n = tac_param_count(m);
    for (int i = 0; i < n; i += 101)
        if (tac_param_path(m, i, path, sizeof path) == TAC_OK) tac_param_get(m, path, &value, NULL);
    for (int i = 0; i < m->nparam; i++)
        value = *tac_param_at(m, m->param_field[i], m->param_index[i]);
    tac_model_derive(m, NULL);
    CHECK(tac_model_pack_bytes(m) > 0);
}

/* A forger knows the checksum. Whatever byte changes, unpacking refuses or gives a model that is safe to use; and it
 * refuses often: most of what it reads is checked. */
static void forged_bytes_are_safe(void **state) {
    (void)state;
    tacModel *m = sample_model();
    CHECK_INT(tac_param_register(m, "geom/box.size[0]", NULL, NULL), TAC_OK);
    size_t size;
    unsigned char *bytes = packed(m, &size);
    const unsigned char patterns[] = {0x01, 0xff, 0x80}; /* two of them at each byte */
    long refused = 0, accepted = 0;
    for (size_t i = 0; i < size - 8; i++) {
        for (int k = 0; k < 2; k++) {
            tacModel *back = NULL;
            unsigned char pattern = patterns[(i + (size_t)k) % 3];
            bytes[i] ^= pattern;
            seal(bytes, size);
            if (tac_model_unpack(bytes, size, &back, NULL) == TAC_OK) {
                exercise(back);
                accepted++;
            } else {
                CHECK(back == NULL);
                refused++;
            }
            tac_model_free(back);
            bytes[i] ^= pattern;
        }
    }
    print_message("%ld forged models refused, %ld accepted\n", refused, accepted);
    CHECK(refused > 1000 && accepted > 1000);
    free(bytes);
    tac_model_free(m);
}

/* Sizes that overflow or do not agree, with a true checksum. */
static void forged_sizes(void **state) {
    (void)state;
    tacModel *m = sample_model(), *back = NULL;
    size_t size;
    unsigned char *bytes = packed(m, &size);
    const int values[] = {-1, INT_MIN, INT_MAX, 1 << 20, 0};
    for (int s = 0; s < TAC_NSIZE; s++) {
        unsigned char *at = bytes + 20 + 4 * s, old[4];
        memcpy(old, at, 4);
        for (int k = 0; k < 5; k++) {
            memcpy(at, &values[k], 4);
            if (memcmp(at, old, 4) == 0) continue;
            seal(bytes, size);
            CHECK(tac_model_unpack(bytes, size, &back, NULL) != TAC_OK);
        }
        memcpy(at, old, 4);
    }
    CHECK(back == NULL);
    free(bytes);
    tac_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),   cmocka_unit_test(bytes_are_deterministic),
        cmocka_unit_test(every_length), cmocka_unit_test(damage_is_noticed),
        cmocka_unit_test(forged_sizes), cmocka_unit_test(forged_bytes_are_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
