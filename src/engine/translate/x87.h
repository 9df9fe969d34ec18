/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The processor keeps where the last x87 instruction stood, which is a place in the cache.
 * fnstenv, fnsave, fxsave and the xsave family show it, and so do signal frames. Before they do,
 * the processor gets the place in the target instead: then each writes it in its own form, and what
 * saves it and loads it again keeps it.
 *
 * Processors of AMD load it only while an exception is pending: there nothing changes otherwise.
 */
#ifndef DWELL_ENGINE_TRANSLATE_X87_H
#define DWELL_ENGINE_TRANSLATE_X87_H

#include "engine/core/state.h"

/* The state is about to be seen. Of code that was dropped since the place is not known: it is 0. */
void x87_show(struct thread *t);
/* The code is gone: the place is 0 from here on, if it was there. */
void x87_forget(void);

#endif
