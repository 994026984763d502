/* One row for each key of a task file. Reading, messages and the guide's tables come from it.
 *
 *   X(section, name, TYPE, more, R(least, most), unit, default, text)
 *
 * Section: the map that the key stands in. A verb's task is a map of the keys of `task` and of the verb's own section.
 * TYPE: one of TAC_TASK_TYPES. More: words of a WORD or VALUE, as in "ilqr|"; name of the section of a SECTION or
 * SECTIONS; "" otherwise. Range: of each number. Default: as it would be written; "": none, the key may be left out;
 * TAC_TASK_REQUIRED: it may not. */
#pragma once

#define TAC_TASK_REQUIRED NULL
#define TAC_TASK_HUGE     1.7976931348623157e308

/* X(TYPE, what it is in words) */
#define TAC_TASK_TYPES(X)                                                                                              \
    X(BOOL, "true or false")                                                                                           \
    X(INT, "a whole number")                                                                                           \
    X(REAL, "a number")                                                                                                \
    X(TEXT, "a text")                                                                                                  \
    X(WORD, "a word")                                                                                                  \
    X(REALS, "a number or a list of numbers")                                                                          \
    X(MATRIX, "a number, a list of numbers, or a list of rows")                                                        \
    X(VALUE, "a number, a list of numbers or of rows, or a word")                                                      \
    X(TEXTS, "a text or a list of texts")                                                                              \
    X(RANGE, "a range [least, most], or a list of ranges")                                                             \
    X(STEPS, "a step, a range of steps [first, last], or end")                                                         \
    X(QUANTITY, "a quantity: a word, or a map as {body_pos: NAME}")                                                    \
    X(REALS_BY_NAME, "a map of names to numbers or lists of numbers")                                                  \
    X(RANGES_BY_NAME, "a map of names to ranges")                                                                      \
    X(OPTIONS, "a map of options of the step")                                                                         \
    X(SECTION, "a map")                                                                                                \
    X(SECTIONS, "a list of maps")

/* clang-format off */
#define TAC_TASK_KEYS(X, R)                                                                                            \
    X(task, version, INT, "", R(1, 1), "", TAC_TASK_REQUIRED, "version of the format: 1")                              \
    X(task, model, TEXT, "", R(0, 0), "", TAC_TASK_REQUIRED, "the robot's file, from the folder of the task")          \
    X(task, set, REALS_BY_NAME, "", R(-TAC_TASK_HUGE, TAC_TASK_HUGE), "of the parameter", "",                          \
      "numbers of the model by path; * and ? stand for parts of a name, a path without [i] takes all numbers of it")   \
    X(task, step, OPTIONS, "", R(0, 0), "", "", "options of the step")                                                 \
    X(task, fit, SECTION, "fit", R(0, 0), "", "", "recordings, and the numbers of the model that are fitted to them (tactus fit)")   \
    X(plan, horizon, INT, "", R(1, 100000), "steps", "",                                                               \
      "steps of the plan; without it the task asks for one state (tactus pose)")                                       \
    X(plan, start, SECTION, "start", R(0, 0), "", "", "the first state; default: the model's qpos_0 at rest")          \
    X(plan, guess, SECTION, "guess", R(0, 0), "", "", "where the search begins; default: controls of 0")               \
    X(plan, cost, SECTIONS, "cost", R(0, 0), "", "", "terms whose sum is to be small")                                 \
    X(plan, constraint, SECTIONS, "constraint", R(0, 0), "", "", "what has to hold")                                   \
    X(plan, bound, SECTION, "bound", R(0, 0), "", "", "limits of controls and of states")                                 \
    X(plan, unknown, RANGES_BY_NAME, "", R(-TAC_TASK_HUGE, TAC_TASK_HUGE), "of the parameter", "",                     \
      "parameters of the model that are chosen too, by path, each with its range; option.timestep: the time of a step")\
    X(plan, solver, SECTION, "solver", R(0, 0), "", "", "how the plan is found")                                       \
    X(plan, pose, SECTION, "pose", R(0, 0), "", "", "of a task without horizon: what may move")                        \
    X(start, key, TEXT, "", R(0, 0), "", "", "name of a keyframe")                                                     \
    X(start, qpos, REALS, "", R(-TAC_TASK_HUGE, TAC_TASK_HUGE), "m, rad", "", "all positions")                         \
    X(start, qvel, REALS, "", R(-TAC_TASK_HUGE, TAC_TASK_HUGE), "m/s, rad/s", "", "all velocities")                    \
    X(start, act, REALS, "", R(-TAC_TASK_HUGE, TAC_TASK_HUGE), "", "", "all activations")                              \
    X(start, joint, REALS_BY_NAME, "", R(-TAC_TASK_HUGE, TAC_TASK_HUGE), "m, rad", "", "positions of joints by name")  \
    X(start, velocity, REALS_BY_NAME, "", R(-TAC_TASK_HUGE, TAC_TASK_HUGE), "m/s, rad/s", "",                          \
      "velocities of joints by name")                                                                                  \
    X(guess, ctrl, VALUE, "hold|", R(-TAC_TASK_HUGE, TAC_TASK_HUGE), "of the control", "",                             \
      "controls of every step: a number for all of them, a list, the name of a keyframe, or hold: those that hold the start state") \
    X(guess, file, TEXT, "", R(0, 0), "", "", "controls from a CSV file, a line a step, from the folder of the task")  \
    X(guess, spline, MATRIX, "", R(-TAC_TASK_HUGE, TAC_TASK_HUGE), "of the control", "",                               \
      "a row of controls for each of some moments, evenly spaced; a cubic spline goes through them")                   \
    X(guess, states, TEXTS, "", R(0, 0), "", "",                                                                       \
      "states on a straight line from the start through keyframes, evenly spaced")                                     \
    X(guess, noise, REALS, "", R(0, TAC_TASK_HUGE), "of the control", "",                                              \
      "standard deviation of what the starts after the first add to the controls; default: a tenth of the bounds, or 1") \
    X(cost, of, QUANTITY, "", R(0, 0), "", TAC_TASK_REQUIRED, "the quantity")                                          \
    X(cost, target, VALUE, "", R(-TAC_TASK_HUGE, TAC_TASK_HUGE), "of the quantity", "",                                \
      "what it is to be; of a state also the name of a keyframe; default: 0, of a state the model's qpos_0 at rest, of an orientation none") \
    X(cost, weight, MATRIX, "", R(-TAC_TASK_HUGE, TAC_TASK_HUGE), "", "1",                                                          \
      "weight of the squared difference: one for all, one for each number, or a symmetric matrix")                     \
    X(cost, norm, WORD, "quadratic|huber|logcosh|absolute|one_sided|barrier|linear|", R(0, 0), "", "quadratic",                  \
      "what is made of the difference")                                                                                \
    X(cost, width, REAL, "", R(1e-12, TAC_TASK_HUGE), "of the quantity", "1", "difference from which a norm is no longer quadratic") \
    X(cost, steps, STEPS, "", R(0, 100000), "steps", "", "where it counts; default: all knots, the last among them")   \
    X(cost, dt_power, INT, "", R(0, 4), "", "0", "the term is multiplied by this power of the time step; 1: an integral") \
    X(cost, name, TEXT, "", R(0, 0), "", "", "its name in reports; default: the quantity")                             \
    X(constraint, of, QUANTITY, "", R(0, 0), "", TAC_TASK_REQUIRED, "the quantity")                                    \
    X(constraint, equals, VALUE, "", R(-TAC_TASK_HUGE, TAC_TASK_HUGE), "of the quantity", "",                          \
      "what it has to be; of a state also the name of a keyframe")                                                     \
    X(constraint, least, REALS, "", R(-TAC_TASK_HUGE, TAC_TASK_HUGE), "of the quantity", "", "what it may not be below") \
    X(constraint, most, REALS, "", R(-TAC_TASK_HUGE, TAC_TASK_HUGE), "of the quantity", "", "what it may not be above") \
    X(constraint, steps, STEPS, "", R(0, 100000), "steps", "", "where it holds; default: all knots, the last among them") \
    X(constraint, name, TEXT, "", R(0, 0), "", "", "its name in reports; default: the quantity")                       \
    X(bound, ctrl, RANGE, "", R(-TAC_TASK_HUGE, TAC_TASK_HUGE), "of the control", "",                                  \
      "one range for all controls, or a list of ranges; default: the model's ctrlrange where it limits the control")   \
    X(bound, actuator, RANGES_BY_NAME, "", R(-TAC_TASK_HUGE, TAC_TASK_HUGE), "of the control", "", "controls by name of the actuator") \
    X(bound, joint, RANGES_BY_NAME, "", R(-TAC_TASK_HUGE, TAC_TASK_HUGE), "m, rad", "", "positions of hinges and slides by name") \
    X(bound, velocity, RANGES_BY_NAME, "", R(-TAC_TASK_HUGE, TAC_TASK_HUGE), "m/s, rad/s", "", "velocities of hinges and slides by name") \
    X(solver, method, WORD, "ilqr|", R(0, 0), "", "ilqr", "the method")                                                \
    X(solver, smoothing, VALUE, "auto|exact|", R(1e-10, 1), "", "auto",                                                 \
      "derivatives of contact: auto, exact (those of the step itself), or for ncp a kappa, or [first, last, factor]") \
    X(solver, iterations, INT, "", R(1, 100000), "", "100", "most iterations, one sweep of derivatives each")          \
    X(solver, tolerance, SECTION, "tolerance", R(0, 0), "", "", "when it is done")                                     \
    X(solver, starts, INT, "", R(1, 10000), "", "1", "first guesses that are tried; all but the first are random")     \
    X(solver, seed, INT, "", R(0, 2147483647), "", "0", "of the random guesses")                                       \
    X(solver, coarse, INT, "", R(1, 64), "", "1", "first plans with time steps this many times as long, then from what was found") \
    X(solver, threads, INT, "", R(1, 1024), "", "1", "threads; they do not change the result")                         \
    X(pose, hold, TEXTS, "", R(0, 0), "", "", "joints that stay where the start has them")                             \
    X(pose, fixed, BOOL, "", R(0, 0), "", "false", "only controls are looked for: the start state stays")              \
    X(fit, train, TEXTS, "", R(0, 0), "", TAC_TASK_REQUIRED, "CSV files of recordings, or patterns of their names, from the folder of the task") \
    X(fit, validate, TEXTS, "", R(0, 0), "", "", "recordings that are not fitted, on which the result is judged")      \
    X(fit, time, TEXT, "", R(0, 0), "", "t", "the column of times, in s")                                              \
    X(fit, column, SECTIONS, "column", R(0, 0), "", TAC_TASK_REQUIRED, "what the columns of the files measure")        \
    X(fit, param, SECTIONS, "param", R(0, 0), "", TAC_TASK_REQUIRED, "the unknown numbers of the model")               \
    X(fit, horizon, INT, "", R(0, 1000000), "frames", "10", "frames that are predicted from a measured one; 0: to the end of the recording") \
    X(fit, stride, INT, "", R(0, 1000000), "frames", "0", "frames between the starts of predictions; 0: the horizon")  \
    X(fit, score, WORD, "all|last|", R(0, 0), "", "all", "frames of a prediction that count: all, or the last one")    \
    X(fit, start, WORD, "measured|estimated|", R(0, 0), "", "measured",                                                \
      "state that a prediction starts from: the measured one, or an unknown one of which that is a measurement")       \
    X(fit, norm, WORD, "quadratic|huber|logcosh|absolute|geman_mcclure|", R(0, 0), "", "quadratic", "what is made of a residual") \
    X(fit, width, REAL, "", R(1e-12, TAC_TASK_HUGE), "deviations", "1", "residual from which a norm is no longer quadratic") \
    X(fit, kappa, REAL, "", R(0, 1), "", "0", "ncp: softness of derivatives; 0: those of the step")                    \
    X(fit, method, WORD, "levenberg|adam|", R(0, 0), "", "levenberg", "the method")                                    \
    X(fit, iterations, INT, "", R(0, 100000), "", "100", "most iterations; 0: the parameters are judged as they are")  \
    X(fit, tolerance, REAL, "", R(1e-15, 0.5), "", "1e-8", "step of all parameters, in their scales, that is the last") \
    X(fit, rate, REAL, "", R(1e-12, TAC_TASK_HUGE), "scales", "0.01", "adam: length of a step")                        \
    X(fit, batch, INT, "", R(1, 1000000), "predictions", "32", "adam: predictions of one step")                        \
    X(fit, starts, INT, "", R(1, 10000), "", "1", "first guesses that are tried; all but the first are random")        \
    X(fit, seed, INT, "", R(0, 2147483647), "", "0", "of the random guesses and batches")                              \
    X(fit, threads, INT, "", R(1, 1024), "", "1", "threads; they do not change the result")                            \
    X(column, columns, TEXTS, "", R(0, 0), "", TAC_TASK_REQUIRED, "names of columns, one for each number that is measured") \
    X(column, of, QUANTITY, "", R(0, 0), "", TAC_TASK_REQUIRED, "what they measure: qpos, qvel, act, state, ctrl or an output") \
    X(column, unit, WORD, "m|cm|mm|m/s|cm/s|mm/s|rad|deg|rad/s|deg/s|rpm|N|kN|N m|N mm|", R(0, 0), "", "", "unit of the file; default: that of the model") \
    X(column, scale, REALS, "", R(-TAC_TASK_HUGE, TAC_TASK_HUGE), "", "1", "numbers of the file are multiplied by it")   \
    X(column, deviation, REALS, "", R(0, TAC_TASK_HUGE), "of the quantity", "",                                        \
      "standard deviation of a residual: one for all or one each, of an orientation 3; without it they do not count")  \
    X(param, path, TEXT, "", R(0, 0), "", TAC_TASK_REQUIRED, "path of a number; a pattern, or a path without [i], makes all that it names one number") \
    X(param, move, WORD, "plain|log|between|", R(0, 0), "", "plain",                                                   \
      "how it changes: as it is, by its logarithm (it stays positive), or between its bounds")                         \
    X(param, bounds, RANGE, "", R(-TAC_TASK_HUGE, TAC_TASK_HUGE), "of the parameter", "", "range [least, most]")         \
    X(param, start, REAL, "", R(-TAC_TASK_HUGE, TAC_TASK_HUGE), "of the parameter", "", "first guess; default: the model's value") \
    X(param, scale, REAL, "", R(1e-300, TAC_TASK_HUGE), "of the parameter", "", "plain: its unit; default: the start without sign, or 1") \
    X(param, prior, REALS, "", R(-TAC_TASK_HUGE, TAC_TASK_HUGE), "of the parameter", "", "mean and standard deviation, known by other means") \
    X(tolerance, cost, REAL, "", R(0, TAC_TASK_HUGE), "of the cost", "1e-3",                                           \
      "an iteration that gains less than this share of the cost is the last")                                          \
    X(tolerance, constraint, REAL, "", R(0, TAC_TASK_HUGE), "of the quantity", "1e-3", "most violation of any constraint")
/* clang-format on */
