#include "io/mesh_words.h"

#include "base/error.h"
#include "io/numbers.h"

#include <math.h>
#include <string.h>

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

static int starts_comment(const tacWords *words, char c) { return words->comment != 0 && c == words->comment; }

static void skip_to_newline(tacWords *words) {
    char *newline = memchr(words->at, '\n', (size_t)(words->end - words->at));
    words->at = newline != NULL ? newline : words->end;
}

char *tac_words_next(tacWords *words) {
    words->line += words->line_ended;
    words->line_ended = 0;
    for (; words->at < words->end; words->at++) {
        if (starts_comment(words, *words->at)) skip_to_newline(words);
        if (words->at == words->end || !(is_blank(*words->at) || *words->at == '\n')) break;
        words->line += *words->at == '\n';
    }
    if (words->at == words->end) return NULL;
    char *word = words->at;
    while (words->at < words->end && !is_blank(*words->at) && *words->at != '\n' && !starts_comment(words, *words->at))
        words->at++;
    if (words->at == words->end) {
        *words->at = 0;
        return word;
    }
    char closing = *words->at;
    *words->at = 0;
    words->line_ended = closing == '\n';
    words->at++;
    if (starts_comment(words, closing)) skip_to_newline(words);
    return word;
}

void tac_words_skip_line(tacWords *words) {
    if (!words->line_ended) skip_to_newline(words);
}

tacStatus tac_words_number(tacWords *words, const char *where, double *value, tacError *err) {
    char *word = tac_words_next(words);
    int n;
    tacError inner;
    if (word == NULL)
        return tac_fail(err, TAC_ERR_SYNTAX, "%s:%d: the file ends inside %s", words->file, words->line, where);
    if (tac_numbers_read(word, 1, 1, value, &n, &inner) != TAC_OK)
        return tac_fail(err, TAC_ERR_SYNTAX, "%s:%d: %s", words->file, words->line, inner.text);
    return TAC_OK;
}

tacStatus tac_words_count(tacWords *words, const char *what, long least, long most, long *value, tacError *err) {
    double number;
    tacStatus status = tac_words_number(words, what, &number, err);
    if (status != TAC_OK) return status;
    if (number != floor(number) || !(number >= (double)least && number <= (double)most))
        return tac_fail(err, TAC_ERR_SYNTAX, "%s:%d: %s is %g, expected a whole number from %ld to %ld", words->file,
                        words->line, what, number, least, most);
    *value = (long)number;
    return TAC_OK;
}
