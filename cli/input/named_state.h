/* The states that a model names: its default state and its keyframes. */
#pragma once

#include "tactus/tactus.h"

/* 1 + nkey. */
int cli_named_states(const tacModel *model);
/* State k: x[nx], u[ninput] of the options. The default state first, with the input that belongs to it. */
void cli_named_state(const tacModel *model, const tacOptions *options, int k, double *x, double *u);
/* "default", "key NAME", or "key 2" where it has no name. Returns text. */
const char *cli_state_name(const tacModel *model, int k, char *text, size_t size);
