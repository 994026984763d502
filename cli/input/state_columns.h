/* The numbers of a state and its controls by name: columns of files and lines of reports. */
#pragma once

#include "tactus/tactus.h"

#include <stddef.h>

typedef enum { TAC_COLUMN_QPOS, TAC_COLUMN_QVEL, TAC_COLUMN_ACT, TAC_COLUMN_CTRL } tacColumn;

/* Number of columns of a kind: nq, nv, na, nu. */
int cli_column_count(const tacModel *model, tacColumn kind);
/* Name of one: "qpos:elbow", "qpos:root.x", "qvel:root.wz", "act:muscle", "ctrl:motor"; an unnamed
 * joint goes by its body's name where that has no other, any other unnamed element is "#3". */
void cli_column_name(const tacModel *model, tacColumn kind, int i, char *text, size_t size);
