/* Words for numbers of the interface. */
#include "tactus/tactus.h"

const char *tac_reason_text(tacReason reason) {
    static const char *const text[] = {
#define X(name, meaning) [name] = meaning,
        TAC_REASON_LIST(X)
#undef X
    };
    return (unsigned)reason < TAC_REASON_COUNT ? text[reason] : "unknown reason";
}

const char *tac_contact_text(tacContactModel contact) {
    static const char *const text[] = {
#define X(NAME, name, meaning) #name,
        TAC_CONTACT_MODELS(X)
#undef X
    };
    return (unsigned)contact < TAC_CONTACT_MODEL_COUNT ? text[contact] : "unknown contact model";
}
