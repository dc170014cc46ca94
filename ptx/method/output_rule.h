// The quadrature by which outputs integrate over a cell (element/output_rule.rs). It has RULE_LEVELS levels of
// RULE_POINTS points. Across the layers of a hexahedron or prism values go to a level first, and within the level to
// its points; other cells have one layer and one level.
#pragma once
#include "method/dense_operators.h"

// Offsets in par.operators.
//   RULE: values and derivatives of the Lagrange functions of a section at the points of a level. RULE_WEIGHTS: weights
//   of these points. ACROSS: pairs of value and derivative across the layers, [level][layer]. LEVEL_WEIGHTS: weights of
//   the levels.
#if ELEMENT == HEX
#define OFFSET_RULE 0
#else
#define OFFSET_RULE OFFSET_AFTER
#endif
#define OFFSET_RULE_WEIGHTS (OFFSET_RULE + RULE_POINTS * SECTION * (1 + SECTION_DIMENSIONS))
#define OFFSET_ACROSS (OFFSET_RULE_WEIGHTS + RULE_POINTS)
#define OFFSET_LEVEL_WEIGHTS (OFFSET_ACROSS + RULE_LEVELS * LAYERS * 2)
#define OFFSET_AFTER_RULE (OFFSET_LEVEL_WEIGHTS + RULE_LEVELS)

// The value (d = 0) or the derivative along direction d - 1 of the Lagrange function of point i of a section, at point
// q of a level.
INLINE real rule_of(const Params &par, int q, int i, int d) {
#ifdef ONE_LANE
    return constant_in_launch(par.operators + OFFSET_RULE + (i * (1 + SECTION_DIMENSIONS) + d) * RULE_POINTS + q);
#else
    return par.operators[OFFSET_RULE + (q * SECTION + i) * (1 + SECTION_DIMENSIONS) + d];
#endif
}
// The value (d = 0) or the derivative (d = 1) across the layers of the Lagrange function of a layer, at a level.
INLINE real across_of(const Params &par, int level, int layer, int d) {
    return constant_in_launch(par.operators + OFFSET_ACROSS + (level * LAYERS + layer) * 2 + d);
}
// The weights of a level, of point q within a level, and of point q of a level.
INLINE real level_weight(const Params &par, int level) {
    return constant_in_launch(par.operators + OFFSET_LEVEL_WEIGHTS + level);
}
INLINE real section_weight(const Params &par, int q) {
    return constant_in_launch(par.operators + OFFSET_RULE_WEIGHTS + q);
}
INLINE real rule_weight(const Params &par, int level, int q) {
    return section_weight(par, q) * level_weight(par, level);
}
