#include "tactus/tactus.h"

#define TEXT(x)          #x
#define VERSION(a, b, c) TEXT(a) "." TEXT(b) "." TEXT(c)

const char *tac_version(void) { return VERSION(TAC_VERSION_MAJOR, TAC_VERSION_MINOR, TAC_VERSION_PATCH); }
