#include "watch.h"

#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *watched;
static time_t last; /* s of CPU time */

/* clock_gettime, alarm, write and _exit may be called in a handler. */
static time_t used(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec;
}

static void look(int signal_number) {
    (void)signal_number;
    if (used() < last) {
        alarm(1);
        return;
    }
    if (write(2, watched, strlen(watched)) < 0) _exit(3);
    _exit(1);
}

void watch_begin(int seconds, const char *text) {
    watched = text;
    last = used() + seconds + 1;
    struct sigaction again = {.sa_handler = look}; /* stays in place after it was called */
    sigemptyset(&again.sa_mask);
    sigaction(SIGALRM, &again, NULL);
    alarm((unsigned)seconds);
}

void watch_end(void) { alarm(0); }
