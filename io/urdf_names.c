#include "io/urdf_names.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 64 };

/* FNV-1a */
static size_t hash_text(const char *key) {
    uint64_t h = 14695981039346656037u;
    for (; *key != 0; key++)
        h = (h ^ (unsigned char)*key) * 1099511628211u;
    return (size_t)(h ^ h >> 32);
}

/* Where the key is or would go. */
static size_t find_slot(const tacUrdfNames *names, const char *key) {
    size_t k = hash_text(key) & (names->capacity - 1);
    while (names->key[k] != NULL && strcmp(names->key[k], key) != 0)
        k = (k + 1) & (names->capacity - 1);
    return k;
}

int tac_urdf_names_find(const tacUrdfNames *names, const char *key) {
    if (names->capacity == 0) return -1;
    size_t k = find_slot(names, key);
    return names->key[k] != NULL ? names->value[k] : -1;
}

static int grow(tacUrdfNames *names) {
    tacUrdfNames larger = {.capacity = names->capacity > 0 ? 2 * names->capacity : FIRST_CAPACITY, .n = names->n};
    larger.key = calloc(larger.capacity, sizeof *larger.key);
    larger.value = calloc(larger.capacity, sizeof *larger.value);
    if (larger.key == NULL || larger.value == NULL) {
        tac_urdf_names_free(&larger);
        return 0;
    }
    for (size_t i = 0; i < names->capacity; i++) {
        if (names->key[i] == NULL) continue;
        size_t k = find_slot(&larger, names->key[i]);
        larger.key[k] = names->key[i];
        larger.value[k] = names->value[i];
    }
    tac_urdf_names_free(names);
    *names = larger;
    return 1;
}

int tac_urdf_names_add(tacUrdfNames *names, const char *key, int value) {
    if (2 * (names->n + 1) > names->capacity && !grow(names)) return 0;
    size_t k = find_slot(names, key);
    names->key[k] = key;
    names->value[k] = value;
    names->n++;
    return 1;
}

void tac_urdf_names_free(tacUrdfNames *names) {
    free(names->key);
    free(names->value);
    *names = (tacUrdfNames){0};
}
