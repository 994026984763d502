/* Code for 256-bit registers, chosen while running: TAC_WIDE before a function compiles it for them, and tac_has_wide
 * tells whether this processor has them. Where the compiler has none to offer, TAC_WIDE is empty and the answer is no.
 * Arithmetic on each number is the same (no fused multiply-add), so that results do not depend on the answer. */
#pragma once

#if defined(__x86_64__) && defined(__GNUC__)
#define TAC_WIDE __attribute__((target("avx")))
static inline int tac_has_wide(void) { return __builtin_cpu_supports("avx") != 0; }
#else
#define TAC_WIDE
static inline int tac_has_wide(void) { return 0; }
#endif
