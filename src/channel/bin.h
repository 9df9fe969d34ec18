/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The records of misses by data structure; a part of channel.h, which includes it. */
#ifndef DWELL_CHANNEL_BIN_H
#define DWELL_CHANNEL_BIN_H

#include "channel/channel.h"

/* A data structure. The first access that names a site comes behind its record. */
enum bin_data_kind {
	BIN_UNKNOWN,
	BIN_SITE,     /* blocks or mappings of site `site` */
	BIN_VARIABLE, /* a variable of a file, or a gap between two, at [start, end) */
	BIN_NAMED,    /* memory with the name of number `site`, see struct record_region */
	BIN_CODE,     /* the code of a file at [start, end) */
	/*
	 * Bytes [start, end) of all threads' copies of the thread-local variables of the file with
	 * code at `code`; `site`: that of such memory.
	 */
	BIN_LOCAL,
	BIN_DATA_KINDS
};

struct bin_data {
	uint32_t kind; /* enum bin_data_kind */
	uint32_t site;
	uint64_t start, end;
	/*
	 * Of a variable or code: when it was there, in accesses of the process. Another file may
	 * lie there later.
	 */
	uint64_t position;
	uint64_t code;
};

/* Caches: those of data, or of data and code, from the top; and the first level of code. */
#define BIN_MOST_LEVELS 5u
enum bin_cache { BIN_FIRST_DATA, BIN_FIRST_CODE = BIN_MOST_LEVELS, BIN_CACHES };

#define BIN_SEEN 3u

/* Contrasts of misses between stretches; of known misses, and of those that may have been hits. */
#define STRETCH_CONTRASTS 16u
#define STRETCH_MISSES	  2u

/* Misses by their causes: what is new since the last record of the same bin. */
struct bin_counts {
	uint64_t missed;
	uint64_t cold;	  /* of these, on lines that were never in the cache before */
	uint64_t by_self; /* on lines that an access to the same data structure has evicted */
	/* on lines that a fully associative LRU cache of this size would have had; not cold */
	uint64_t conflicts;
	/* In a sampled simulation, without a cause: as those of stretch.h. */
	uint64_t unknown, above;
	/*
	 * And of all these, such as are the first in a stretch on their line, where that is the
	 * first, second, or third stretch that has seen the line. Then nothing counts as cold.
	 */
	uint64_t seen[BIN_SEEN];
};

/*
 * Where in its data structure an instruction has missed, in the whole run: at bytes low + k * step,
 * up to high, from the beginning of the block or variable. low > high: nowhere; in a record: as in
 * the bin's last one.
 */
struct bin_range {
	uint64_t low, high;
	uint64_t step; /* the greatest common divisor of all differences; 0: always at low */
};

/* Some of these offsets, spread evenly over the misses of the run so far. */
#define BIN_PLACES 8u
struct bin_places {
	uint64_t count; /* 0: in a record: as in the bin's last one */
	uint64_t offsets[BIN_PLACES];
};

/* Misses of an instruction on a data structure, by level: in its first level, below, and so on. */
struct record_bin {
	struct record_header h;
	uint64_t position; /* when pc was this instruction, as in struct bin_data */
	uint64_t pc;
	struct bin_data data;
	struct bin_range range;
	struct bin_places places;
	struct bin_counts counts[BIN_MOST_LEVELS];
};

/*
 * Misses of a function on a data structure, whose lines another function had evicted in the cache
 * with an access to its data structure. What is new since the last record.
 */
struct record_eviction {
	struct record_header h;
	uint64_t position; /* when `function` was there, as in struct bin_data */
	uint64_t evictor_position;
	uint64_t cache; /* enum bin_cache */
	uint64_t count;
	uint64_t conflicts;	    /* of these, as in struct bin_counts */
	uint64_t function, evictor; /* where their code begins; 0: of several */
	struct bin_data data, evictor_data;
	int64_t contrasts[STRETCH_CONTRASTS]; /* of a sampled simulation: see stretch.h */
};

/*
 * References of an instruction to a data structure, hits too: what is new since the last record. A
 * window's references have a weight: how many of the run they stand for, in a unit of its own.
 */
#define BIN_WINDOW_GROUPS     16u
#define BIN_WINDOW_REFERENCES 100u /* in each */
struct record_references {
	struct record_header h;
	uint64_t position; /* as in struct record_bin */
	uint64_t pc;
	struct bin_data data;
	uint64_t counted;		     /* exactly, beside the windows */
	uint64_t seen;			     /* in windows */
	uint64_t weights[BIN_WINDOW_GROUPS]; /* sums of weights, by group of windows */
};

/*
 * How a data structure is accessed, as windows saw it in the whole run (patterns.h of the engine).
 * Accesses have the weight of their window, in a unit of its own.
 */
#define PATTERN_STEPS 4u
struct pattern_step {
	uint64_t bytes;		    /* a usual stride, without its sign; 0: none here */
	uint64_t accesses;	    /* with it; the sums of rare strides are too low */
	uint64_t touched;	    /* parts of `bytes`, a bit each: see pattern_unit */
	uint32_t narrowest, widest; /* of these accesses, in bytes */
};

/* The bytes of such a part; 32 of the smallest ones make 256. */
#define PATTERN_PARTS 32u
static inline uint64_t pattern_unit(uint64_t bytes)
{
	return bytes > 8 * PATTERN_PARTS ? bytes / PATTERN_PARTS : 8;
}

struct pattern {
	uint64_t windows, seen;	     /* windows that saw it, and accesses there: plain numbers */
	uint64_t accesses;	     /* all that follows is weighted */
	uint64_t known;		     /* whose stride may be told from others of their instruction */
	uint64_t usual;		     /* of these, with its usual stride */
	uint64_t near;		     /* of these, less than a line away from the last one */
	uint64_t words;		     /* loads of a word that may be an address */
	uint64_t to_self, to_others; /* of these: used as an address soon, of which structure */
	uint64_t from_self, from_others; /* accesses through a word that was loaded before */
	uint64_t inside; /* accesses elsewhere in the block of the last one of their instruction */
	uint64_t hops;	 /* those in another block */
	uint64_t rows;	 /* of these, where another structure held the block's address */
	struct pattern_step steps[PATTERN_STEPS];
};

struct record_pattern {
	struct record_header h;
	struct bin_data data;
	struct pattern pattern;
};

_Static_assert(sizeof(struct record_pattern) == 288, "layout of record_pattern");
_Static_assert(sizeof(struct record_references) == 208, "layout of record_references");
_Static_assert(sizeof(struct record_bin) == 520, "layout of record_bin");
_Static_assert(sizeof(struct record_eviction) == 272, "layout of record_eviction");

#include "channel/stretch.h"

#endif
