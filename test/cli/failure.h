/* Stands in for the command line's error output: keeps the last message. */
#pragma once

/* The last message of cli_fail; "" when there was none since failure_clear. */
const char *failure_text(void);
void failure_clear(void);
