/* Binomial checkpointing [Griewank2000] (step.md, ST8): the states to store on the way through a rollout, so that its
 * reverse mode recomputes as little as a given number of stored states allows. Pure arithmetic. */
#pragma once

/* `steps` steps (2 or more) are to be reversed, the state before the first of them is stored, and `slots` more (1 or
 * more) may be: how many steps to take before storing the next, from 1 to steps - 1. With s = slots + 1 stored states,
 * each step taken at most r times, C(s + r, s) steps can be reversed; so r grows with the logarithm of the steps where
 * s does, and no step is taken twice where slots >= steps - 2. */
int tac_checkpoint_split(int steps, int slots);
