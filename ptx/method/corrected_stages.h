// In which stages and cells the entropy is corrected (method/entropy_correction.h).
#pragma once
#include "element/element.h"
#include "params.h"

// The CPU asks parameters; a GPU has the correction only in kernels that are compiled with it, since it takes shared
// memory.
#ifdef ENTROPY_CORRECTION
#define CORRECTS_ENTROPY corrects_entropy(par)
#else
#define CORRECTS_ENTROPY false
#endif

INLINE bool corrects_entropy(const Params &par) {
    if (par.stage != STAGE_LAST && par.stage != STAGE_RHS_ONLY) return false;
    bool kind = false;
    switch ((EntropyCorrection)par.entropy_correction) {
    case ENTROPY_NONE: break;
    case ENTROPY_AUTO: kind = ELEMENT == HEX || ELEMENT == PRISM; break;
    case ENTROPY_CELLS: kind = true; break;
    }
    return kind;
}
