#include "tactus/tactus.h"

#include <stdio.h>

int main(void) {
    printf("tactus %s\n", tac_version());
    return 0;
}
