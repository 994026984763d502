/* Mesh files of text, read word by word. */
#pragma once

#include "tactus/io.h"

typedef struct tacWords {
    const char *file; /* name used in messages */
    char *at, *end;   /* what is left; words are ended by zero bytes in place, and *end may be written to */
    char comment;     /* from this character on a line does not count; 0: there are no comments */
    int line;         /* of the last word */
    int line_ended;   /* a newline closed it */
} tacWords;

/* Next word, or NULL at the end of the text. */
char *tac_words_next(tacWords *words);
/* The rest of the last word's line does not count. */
void tac_words_skip_line(tacWords *words);
/* Next word as a number. `where` is what the text would end inside of, for messages. */
tacStatus tac_words_number(tacWords *words, const char *where, double *value, tacError *err);
/* Next word as a whole number from least to most; `what` names it in messages. */
tacStatus tac_words_count(tacWords *words, const char *what, long least, long most, long *value, tacError *err);
