/* Names -> numbers, for links, joints, geoms and meshes. Keys are not copied. */
#pragma once

#include <stddef.h>

typedef struct tacUrdfNames {
    const char **key;
    int *value;
    size_t capacity, n; /* capacity is a power of two, or 0 */
} tacUrdfNames;

/* Number of a name, or -1. */
int tac_urdf_names_find(const tacUrdfNames *names, const char *key);
/* Adds a name that is not there yet; 0: out of memory. */
int tac_urdf_names_add(tacUrdfNames *names, const char *key, int value);
void tac_urdf_names_free(tacUrdfNames *names);
