-- SPDX-License-Identifier: GPL-2.0-or-later
-- The profile file: one SQLite database per run. Users may query it; see docs/schema.md.
-- PRAGMA application_id = 0x44574c31 ('DWL1'), user_version = the schema's version (31).
CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
-- command, host, cpu, start_time (unix seconds), wall_ns, target_cpu_ns, collector_cpu_ns, tsc_hz,
-- mode, seed, line_bytes, exact_by, exact_size_bytes, nested_one_in, duty_ppm, sample_period, sample_ppm, l1d_bytes, l2_bytes,
-- l3_bytes (0: not known), exit_status, exit_signal, collector_pid, version, lost_processes, native_programs,
-- state ('running','complete')
CREATE TABLE process(
	id INTEGER PRIMARY KEY,          -- order number in the run, from 0
	pid INTEGER NOT NULL, parent_id INTEGER, cause TEXT NOT NULL,   -- 'start','fork','exec'
	exe TEXT NOT NULL, command TEXT NOT NULL,                       -- of a fork its parent's, or its title
	start_ns INTEGER NOT NULL, end_ns INTEGER,
	state TEXT NOT NULL,             -- 'running','exited','exec','killed','detached'
	exit_status INTEGER,             -- of 'exited'
	signal INTEGER,                  -- that killed it, where known
	told_end INTEGER NOT NULL DEFAULT 0, -- 1: its engine told all up to the end; 0: it was cut off, or runs
	accesses INTEGER NOT NULL DEFAULT 0, loads INTEGER NOT NULL DEFAULT 0,
	stores INTEGER NOT NULL DEFAULT 0, instructions INTEGER NOT NULL DEFAULT 0,
	rep_iterations INTEGER NOT NULL DEFAULT 0, vector_elements INTEGER NOT NULL DEFAULT 0,
	watch_accesses INTEGER NOT NULL DEFAULT 0,
	translate_cycles INTEGER NOT NULL DEFAULT 0, scan_cycles INTEGER NOT NULL DEFAULT 0,
	engine_bytes INTEGER NOT NULL DEFAULT 0, footprint_pages INTEGER NOT NULL DEFAULT 0,
	lost_records INTEGER NOT NULL DEFAULT 0,
	data_until INTEGER NOT NULL DEFAULT 0, -- accesses after which misses were not counted by data any more; 0: never
	far_lines TEXT NOT NULL DEFAULT '[]', -- JSON arrays for lines of 4, 8 .. 4096 bytes: far lines seen in windows,
	far_line_weight TEXT NOT NULL DEFAULT '[]'); -- and how many lines each of them stands for
CREATE TABLE thread(process_id INTEGER NOT NULL, idx INTEGER NOT NULL, tid INTEGER NOT NULL,
	accesses INTEGER, loads INTEGER, stores INTEGER, instructions INTEGER,
	PRIMARY KEY(process_id, idx)) WITHOUT ROWID;
CREATE TABLE module(id INTEGER PRIMARY KEY, process_id INTEGER NOT NULL, path TEXT NOT NULL,
	build_id TEXT, start INTEGER NOT NULL, end INTEGER NOT NULL, file_offset INTEGER NOT NULL,
	mapped_at INTEGER NOT NULL, unmapped_at INTEGER);       -- positions in accesses
CREATE TABLE window(process_id INTEGER NOT NULL, number INTEGER NOT NULL,
	start INTEGER NOT NULL, length INTEGER NOT NULL, stands_for INTEGER NOT NULL,
	samples INTEGER NOT NULL, footprint_pages INTEGER NOT NULL, chosen INTEGER NOT NULL, chosen_loads INTEGER NOT NULL,
	close INTEGER NOT NULL,         -- of the samples, the close ones, see window_weight
	far TEXT NOT NULL DEFAULT '[]', -- a JSON array: the far touches in it, at lines of 4, 8 .. 4096 bytes
	touches TEXT NOT NULL DEFAULT '[]', -- another: touches of the counted far lines, by class, see docs/schema.md
	PRIMARY KEY(process_id, number)) WITHOUT ROWID;
-- Code locations: one pc of one process each. list is a JSON array with one array of numbers for each,
-- in the order of the view; without a module, the last two are not there. Ids are consecutive: first_id is the first's.
CREATE TABLE location_batch(first_id INTEGER PRIMARY KEY, list TEXT NOT NULL);
-- The names of locations, from first_id on: list has for each an array of rows of place, the innermost
-- inlined function first. Locations get names while the run goes on, some seconds after they are seen.
CREATE TABLE name_batch(first_id INTEGER PRIMARY KEY, list TEXT NOT NULL);
CREATE TABLE place(id INTEGER PRIMARY KEY, function TEXT NOT NULL, file TEXT, line INTEGER);
-- Materialized, so that SQLite builds an index over the ids for a join. A + before a column keeps SQLite from
-- building one over that column.
CREATE VIEW location AS WITH l AS MATERIALIZED (SELECT first_id + key AS id,
	json_extract(value, '$[0]') AS process_id, json_extract(value, '$[1]') AS pc,
	json_extract(value, '$[2]') AS module_id, json_extract(value, '$[3]') AS module_address
	FROM location_batch, json_each(list))
	SELECT id, +process_id AS process_id, +pc AS pc, +module_id AS module_id, module_address FROM l;
CREATE VIEW frame AS WITH f AS MATERIALIZED (SELECT first_id + a.key AS location_id,
	b.key AS depth, function, file, line
	FROM name_batch, json_each(list) a, json_each(a.value) b JOIN place ON place.id = b.value)
	SELECT location_id, +depth AS depth, function, file, line FROM f;
-- Accesses that differ in their addresses only have a row here in common: list has an array of numbers for each, in the
-- order of the view. address is that of one of them; site and path are ids, or 0. Ids are consecutive, from 1.
CREATE TABLE access_batch(first_id INTEGER PRIMARY KEY, list TEXT NOT NULL);
CREATE VIEW access AS WITH a AS MATERIALIZED (SELECT first_id + key AS id,
	json_extract(value, '$[0]') AS location, json_extract(value, '$[1]') AS size,
	json_extract(value, '$[2]') AS kind, json_extract(value, '$[3]') AS thread,
	json_extract(value, '$[4]') AS site, json_extract(value, '$[5]') AS path, json_extract(value, '$[6]') AS address,
	json_extract(value, '$[7]') AS image
	FROM access_batch, json_each(list))
	SELECT id, +location AS location, +size AS size, +kind AS kind, +thread AS thread, +site AS site, +path AS path,
	+address AS address, +image AS image FROM a;
-- Consecutive samples of a process. list is a JSON array with one array of numbers for each sample: [window, status,
-- position, distance, the sampled access, its place in the line, the access that touched the line again, touches];
-- the access is there only if there is one, and touches only if it is not 0: touches of counted far lines in
-- between, a byte for each class, that of the first the lowest. Short numbers cost less to write, so window and
-- position are relative to those of the row, and an access is three numbers: its id in the view access, its address,
-- and its distance from the first byte of its block: plus 2 if it lies in or after the block, negative if it lies
-- before; 0 means no block, 1 that of the item's first access. The address of an item's first access is relative to
-- that in the view access, others to the first. Samples are numbered from 1 in the order of their arrival; first_id
-- is the number of the first. near, far, cut: how many samples have the status 0, 1 and 2.
CREATE TABLE sample_batch(first_id INTEGER PRIMARY KEY, process_id INTEGER NOT NULL, window INTEGER NOT NULL,
	position INTEGER NOT NULL, near INTEGER NOT NULL, far INTEGER NOT NULL, cut INTEGER NOT NULL, list TEXT NOT NULL);
-- How many accesses a sample of a window stands for: a close one, as defined in docs/schema.md (status 0, a
-- distance below 64, the access does not cross its line), and any other sample.
CREATE VIEW window_weight AS SELECT process_id, number AS window, 1.0 * stands_for / max(chosen, samples) AS other,
	1.0 * stands_for / max(chosen, samples) * max(1.0, (chosen - samples + close) * 1.0 / close) AS close FROM window;
-- One row per sample. status: 0 near, 1 far, 2 cut. weight: the number of accesses that the sample stands
-- for; NULL if its window never closed. These are joins, because a subquery for each row would search without an index.
CREATE VIEW sample AS SELECT first_id + key AS id, s.process_id, s.window + json_extract(value, '$[0]') AS window,
	CASE WHEN json_extract(value, '$[1]') = 0 AND json_extract(value, '$[3]') < 64 AND json_extract(value, '$[7]') >= 0
		AND json_extract(value, '$[7]') + b.size <= (SELECT m.value FROM meta m WHERE m.key = 'line_bytes')
		THEN w.close ELSE w.other END AS weight,
	json_extract(value, '$[1]') AS status, s.position + json_extract(value, '$[2]') AS position,
	json_extract(value, '$[3]') AS distance,
	b.address + json_extract(value, '$[5]') - json_extract(value, '$[7]') AS line,
	b.location AS begin_location, b.address + json_extract(value, '$[5]') AS begin_address,
	b.size AS begin_size, b.kind AS begin_kind, b.thread AS begin_thread, b.site AS begin_site, b.image AS begin_image,
	(b.address + json_extract(value, '$[5]') - json_extract(value, '$[6]')
		+ 2 * (json_extract(value, '$[6]') > 0)) * (json_extract(value, '$[6]') <> 0) AS begin_block,
	b.path AS begin_path, e.location AS end_location,
	b.address + json_extract(value, '$[5]') + json_extract(value, '$[9]') AS end_address,
	e.size AS end_size, e.kind AS end_kind, e.thread AS end_thread, e.site AS end_site, e.image AS end_image,
	CASE json_extract(value, '$[10]') WHEN 0 THEN 0
		WHEN 1 THEN b.address + json_extract(value, '$[5]') - json_extract(value, '$[6]')
			+ 2 * (json_extract(value, '$[6]') > 0)
		ELSE b.address + json_extract(value, '$[5]') + json_extract(value, '$[9]') - json_extract(value, '$[10]')
			+ 2 * (json_extract(value, '$[10]') > 0) END AS end_block,
	e.path AS end_path, json_extract(value, '$[11]') AS touches
	FROM sample_batch s, json_each(list) LEFT JOIN access b ON b.id = json_extract(value, '$[4]')
		LEFT JOIN access e ON e.id = json_extract(value, '$[8]') LEFT JOIN window_weight w
		ON w.process_id = s.process_id AND w.window = s.window + json_extract(value, '$[0]');
-- Far reuses: touches of far lines, which docs/schema.md explains. Lists as above: [window, position, base, the touch, the
-- touch before (id 0: not known), smallest, and for each line size from 4 << smallest bytes on: number of its weight in
-- weights, from 1 (0: not far at this size), base + 1 - distance (0: a first touch), lines]. weights has the different
-- weights of the list: touches of the window that one stands for. reuses: the number of items.
CREATE TABLE far_batch(first_id INTEGER PRIMARY KEY, process_id INTEGER NOT NULL, window INTEGER NOT NULL,
	position INTEGER NOT NULL, reuses INTEGER NOT NULL, weights TEXT NOT NULL, list TEXT NOT NULL);
-- One row for each line size at which a touch is far. weight: touches of the process that it stands for (NULL as in
-- sample). distance and lines are NULL for the first touch of a line.
CREATE VIEW far_reuse AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 10)
	SELECT first_id + key AS id, f.process_id, f.window + json_extract(value, '$[0]') AS window,
	4 << json_extract(value, '$[9]') + i AS line_bytes,
	1.0 * json_extract(weights, '$[' || (json_extract(value, '$[' || (10 + 3 * i) || ']') - 1) || ']')
		* w.stands_for / w.length AS weight,
	f.position + json_extract(value, '$[1]') AS position,
	json_extract(value, '$[2]') + 1 - nullif(json_extract(value, '$[' || (11 + 3 * i) || ']'), 0) AS distance,
	CASE WHEN json_extract(value, '$[' || (11 + 3 * i) || ']') > 0
		THEN json_extract(value, '$[' || (12 + 3 * i) || ']') END AS lines,
	e.location AS end_location, e.address + json_extract(value, '$[4]') AS end_address, e.size AS end_size,
	e.kind AS end_kind, e.thread AS end_thread, e.site AS end_site, e.image AS end_image,
	(e.address + json_extract(value, '$[4]') - json_extract(value, '$[5]')
		+ 2 * (json_extract(value, '$[5]') > 0)) * (json_extract(value, '$[5]') <> 0) AS end_block,
	e.path AS end_path, b.location AS begin_location,
	CASE WHEN json_extract(value, '$[6]') > 0 THEN
		e.address + json_extract(value, '$[4]') + json_extract(value, '$[7]') END AS begin_address,
	b.size AS begin_size, b.kind AS begin_kind, b.thread AS begin_thread, b.site AS begin_site, b.image AS begin_image,
	CASE WHEN json_extract(value, '$[6]') > 0 THEN
		CASE json_extract(value, '$[8]') WHEN 0 THEN 0
		WHEN 1 THEN e.address + json_extract(value, '$[4]') - json_extract(value, '$[5]')
			+ 2 * (json_extract(value, '$[5]') > 0)
		ELSE e.address + json_extract(value, '$[4]') + json_extract(value, '$[7]') - json_extract(value, '$[8]')
			+ 2 * (json_extract(value, '$[8]') > 0) END END AS begin_block,
	b.path AS begin_path
	FROM far_batch f, json_each(list), n LEFT JOIN access e ON e.id = json_extract(value, '$[3]')
		LEFT JOIN access b ON b.id = json_extract(value, '$[6]')
		LEFT JOIN window w ON w.process_id = f.process_id AND w.number = f.window + json_extract(value, '$[0]')
	WHERE json_extract(value, '$[' || (10 + 3 * i) || ']') > 0;
-- For some samples, the number of other lines touched between the two touches of their line, at all line sizes from 32
-- to 4096 bytes: [window, position, and for each size distance and lines]. All the lines hold the same byte. A
-- distance of -1: not touched again within the window.
CREATE TABLE stack_distance_batch(first_id INTEGER PRIMARY KEY, process_id INTEGER NOT NULL, list TEXT NOT NULL);
CREATE VIEW stack_distance AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 7)
	SELECT first_id + key AS id, process_id,
	json_extract(value, '$[0]') AS window, json_extract(value, '$[1]') AS position,
	32 << i AS line_bytes, json_extract(value, '$[' || (2 + 2 * i) || ']') AS distance,
	json_extract(value, '$[' || (3 + 2 * i) || ']') AS lines
	FROM stack_distance_batch, json_each(list), n WHERE json_extract(value, '$[' || (2 + 2 * i) || ']') >= 0;
-- Samples whose byte was watched at all line sizes (bit k of sizes and open stands for lines of 1 << k bytes). Lists as
-- above: [window, status, position, watched, open, weight, the sampled access, point, and for each touch sizes, weight,
-- distance, the access, touches as above]. point is relative to the sampled access. One view shows the samples, another their touches.
CREATE TABLE nested_batch(first_id INTEGER PRIMARY KEY, process_id INTEGER NOT NULL, window INTEGER NOT NULL,
	position INTEGER NOT NULL, list TEXT NOT NULL);
CREATE VIEW nested AS SELECT first_id + key AS id, s.process_id, s.window + json_extract(value, '$[0]') AS window,
	json_extract(value, '$[1]') AS status, s.position + json_extract(value, '$[2]') AS position,
	b.address + json_extract(value, '$[7]') + json_extract(value, '$[9]') AS point,
	json_extract(value, '$[3]') AS watched, json_extract(value, '$[4]') AS open, json_extract(value, '$[5]') AS weight,
	b.location AS begin_location, b.address + json_extract(value, '$[7]') AS begin_address,
	b.size AS begin_size, b.kind AS begin_kind, b.thread AS begin_thread, b.site AS begin_site, b.image AS begin_image,
	(b.address + json_extract(value, '$[7]') - json_extract(value, '$[8]')
		+ 2 * (json_extract(value, '$[8]') > 0)) * (json_extract(value, '$[8]') <> 0) AS begin_block,
	b.path AS begin_path, (json_array_length(value) - 10) / 7 AS touches
	FROM nested_batch s, json_each(list) LEFT JOIN access b ON b.id = json_extract(value, '$[6]');
CREATE VIEW nested_touch AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 10)
	SELECT first_id + key AS nested_id, s.process_id,
	json_extract(value, '$[' || (10 + 7 * i) || ']') AS sizes,
	json_extract(value, '$[' || (11 + 7 * i) || ']') AS weight,
	json_extract(value, '$[' || (12 + 7 * i) || ']') AS distance, e.location AS end_location,
	b.address + json_extract(value, '$[7]') + json_extract(value, '$[' || (14 + 7 * i) || ']') AS end_address,
	e.size AS end_size, e.kind AS end_kind, e.thread AS end_thread, e.site AS end_site, e.image AS end_image,
	CASE json_extract(value, '$[' || (15 + 7 * i) || ']') WHEN 0 THEN 0
		WHEN 1 THEN b.address + json_extract(value, '$[7]') - json_extract(value, '$[8]')
			+ 2 * (json_extract(value, '$[8]') > 0)
		ELSE b.address + json_extract(value, '$[7]') + json_extract(value, '$[' || (14 + 7 * i) || ']')
			- json_extract(value, '$[' || (15 + 7 * i) || ']')
			+ 2 * (json_extract(value, '$[' || (15 + 7 * i) || ']') > 0) END AS end_block,
	e.path AS end_path, json_extract(value, '$[' || (16 + 7 * i) || ']') AS touches
	FROM nested_batch s, json_each(list), n LEFT JOIN access b ON b.id = json_extract(value, '$[6]')
		LEFT JOIN access e ON e.id = json_extract(value, '$[' || (13 + 7 * i) || ']')
	WHERE i < (json_array_length(value) - 10) / 6;
-- The call paths of accesses: list has an array for each, with the process and then the locations of the calls, the
-- innermost first. The view has a row for each call.
CREATE TABLE path_batch(first_id INTEGER PRIMARY KEY, list TEXT NOT NULL);
CREATE VIEW path AS SELECT first_id + a.key AS id, json_extract(a.value, '$[0]') AS process_id,
	b.key - 1 AS depth, b.value AS location_id
	FROM path_batch, json_each(list) a, json_each(a.value) b WHERE b.key > 0;
-- Where blocks of memory come from: path is a JSON array of locations, the allocation function's caller first.
CREATE TABLE site(id INTEGER PRIMARY KEY, process_id INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT,
	path TEXT NOT NULL, element_size INTEGER NOT NULL, blocks INTEGER NOT NULL, bytes INTEGER NOT NULL,
	live_blocks INTEGER NOT NULL, live_bytes INTEGER NOT NULL, peak_bytes INTEGER NOT NULL,
	smallest INTEGER NOT NULL, largest INTEGER NOT NULL, layout_id INTEGER NOT NULL);  -- 0: none
-- Global, static and thread-local variables that samples touched. image: a number for a file's data at its place in a
-- process, while it was mapped there; or for a thread's copy of its thread-local variables.
CREATE TABLE variable(id INTEGER PRIMARY KEY, process_id INTEGER NOT NULL, start INTEGER NOT NULL,
	end INTEGER NOT NULL, name TEXT NOT NULL, type TEXT, file TEXT, line INTEGER NOT NULL,
	element_size INTEGER NOT NULL, module TEXT, thread_local INTEGER NOT NULL, layout_id INTEGER NOT NULL,
	image INTEGER NOT NULL);
-- Types of variables, of the elements of arrays, and of what blocks hold, by debug information.
CREATE TABLE layout(id INTEGER PRIMARY KEY, type TEXT NOT NULL, bytes INTEGER NOT NULL);
-- Members of a type, in the order of number; those of depth n + 1 belong to the one of depth n above them. offset: from
-- the beginning of what they belong to. elements: of an array, each with the members that follow; 0: no array.
-- form: as in operand; of an array, that of its elements. Members of a union have the same offset.
CREATE TABLE member(layout_id INTEGER NOT NULL, number INTEGER NOT NULL, depth INTEGER NOT NULL,
	offset INTEGER NOT NULL, bytes INTEGER NOT NULL, elements INTEGER NOT NULL, name TEXT NOT NULL,
	type TEXT NOT NULL, form INTEGER NOT NULL, PRIMARY KEY(layout_id, number)) WITHOUT ROWID;
CREATE TABLE message(process_id INTEGER, time_ns INTEGER, text TEXT NOT NULL);
CREATE TABLE source(path TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;   -- embedded copies of annotated files
-- Exact curves: the misses of fully associative caches that were empty at the start. Every access of a process was
-- simulated, or those to a sample of lines (meta lines_one_in). low, high: interval of 95 % of the misses; both are
-- the misses if they are exact. lines: the number of distinct lines that the process touched.
CREATE TABLE curve(process_id INTEGER NOT NULL, line_bytes INTEGER NOT NULL, policy TEXT NOT NULL,   -- 'lru','random'
	size_bytes INTEGER NOT NULL, accesses INTEGER NOT NULL, misses INTEGER NOT NULL, lines INTEGER NOT NULL,
	low INTEGER NOT NULL, high INTEGER NOT NULL,
	PRIMARY KEY(process_id, line_bytes, policy, size_bytes)) WITHOUT ROWID;
-- The same counts by data, for one of the cache sizes in curve. A row is about the accesses to a site's blocks
-- (site_id; NULL: to no known block), or about those near an address, where a variable may lie (NULL: any address).
-- first_touches: accesses that touched a line for the first time.
CREATE TABLE data_cost(id INTEGER PRIMARY KEY, process_id INTEGER NOT NULL, site_id INTEGER, address INTEGER,
	image INTEGER NOT NULL, accesses INTEGER NOT NULL, first_touches INTEGER NOT NULL, lru_misses INTEGER, random_misses INTEGER);
-- Misses by data structure in a simulation. start, end: of a variable or of a file's code.
CREATE TABLE structure(id INTEGER PRIMARY KEY, process_id INTEGER NOT NULL,
	kind TEXT NOT NULL,              -- 'site','variable','code','unknown'
	site_id INTEGER, start INTEGER NOT NULL, end INTEGER NOT NULL,
	image INTEGER NOT NULL);         -- of a variable; else 0
-- Misses of the instruction at a location on a structure in a cache ('L1d','L1i','LL'), with a row for each. cold: on
-- lines that were never in the cache before; by_self: evicted by accesses to the same structure.
-- conflicts: not cold, and a fully associative cache would have hit; NULL: the run did not tell them apart.
CREATE TABLE bin(id INTEGER PRIMARY KEY, structure_id INTEGER NOT NULL, location_id INTEGER NOT NULL,
	cache TEXT NOT NULL, misses INTEGER NOT NULL, cold INTEGER NOT NULL, by_self INTEGER NOT NULL, conflicts INTEGER,
	unknown INTEGER NOT NULL, above INTEGER NOT NULL,  -- of a sampled simulation, as in stretch: they have no cause
	-- lines that a stretch saw here, which was the first, second, or third to see them; nothing is cold then
	seen1 INTEGER NOT NULL, seen2 INTEGER NOT NULL, seen3 INTEGER NOT NULL);
-- Where in the blocks or the variable of the structure those misses were, in bytes from its beginning: at low,
-- low + step, ... high. step 0: at low only. places: JSON array of some of these offsets, spread evenly over the misses.
CREATE TABLE bin_range(structure_id INTEGER NOT NULL, location_id INTEGER NOT NULL, low INTEGER NOT NULL,
	high INTEGER NOT NULL, step INTEGER NOT NULL, places TEXT NOT NULL,
	PRIMARY KEY(structure_id, location_id)) WITHOUT ROWID;
-- What the instruction at a location of bin_range reads or writes, an element if it is a vector.
-- form: 0 unknown, 1 integer, 2 floating point.
CREATE TABLE operand(location_id INTEGER PRIMARY KEY, bytes INTEGER NOT NULL, form INTEGER NOT NULL);
-- Functions that hand on what the call of an allocation function at the location returns, as xmalloc does: the innermost
-- ones of its frames; more than there are, if all of them do, and the next function of the path gets it.
CREATE TABLE wrapper(location_id INTEGER PRIMARY KEY, frames INTEGER NOT NULL);
-- Misses of a function (the location of its first instruction) on lines of a structure that another
-- function had evicted, with an access to its structure.
-- A location is NULL for several functions, where a run has too many.
CREATE TABLE eviction(id INTEGER PRIMARY KEY, cache TEXT NOT NULL,
	structure_id INTEGER NOT NULL, location_id INTEGER,
	evictor_structure_id INTEGER NOT NULL, evictor_location_id INTEGER, misses INTEGER NOT NULL,
	conflicts INTEGER, -- contrasts, as below; 0 if all accesses were simulated
	k0 INTEGER NOT NULL, k1 INTEGER NOT NULL, k2 INTEGER NOT NULL, k3 INTEGER NOT NULL, k4 INTEGER NOT NULL,
	k5 INTEGER NOT NULL, k6 INTEGER NOT NULL, k7 INTEGER NOT NULL, k8 INTEGER NOT NULL, k9 INTEGER NOT NULL,
	k10 INTEGER NOT NULL, k11 INTEGER NOT NULL, k12 INTEGER NOT NULL, k13 INTEGER NOT NULL, k14 INTEGER NOT NULL,
	k15 INTEGER NOT NULL);
-- The stretches of a run that a sampled simulation has simulated: a row for each, and each cache. misses: the unknown
-- references, and those above, among them. late, half: of these two, after an eighth, and after half of the stretch.
-- timed: known misses whose place is known to have been last used when. dead: the unknown misses that they stand for;
-- dead_late: the same, had the stretch begun after an eighth of it. Both are in units of 2^-16.
-- signs: in the contrasts, a bit each, 1: plus.
CREATE TABLE stretch(process_id INTEGER NOT NULL, number INTEGER NOT NULL, cache TEXT NOT NULL, signs INTEGER NOT NULL,
	start INTEGER NOT NULL, accesses INTEGER NOT NULL, instructions INTEGER NOT NULL, misses INTEGER NOT NULL,
	unknown INTEGER NOT NULL, above INTEGER NOT NULL, late INTEGER NOT NULL, half INTEGER NOT NULL,
	timed INTEGER NOT NULL, dead INTEGER NOT NULL, dead_late INTEGER NOT NULL,
	PRIMARY KEY(process_id, number, cache)) WITHOUT ROWID;
-- Contrasts of the misses of the instruction at a location on a structure (NULL: on any), in a cache: sums over stretches,
-- each with the sign that it has in that contrast. Of stretches 2 n and 2 n + 1 one has the sign that the other has not.
-- k0 to k15: of known misses; u0 to u15: of the others, unknown and above.
CREATE TABLE contrast(id INTEGER PRIMARY KEY, process_id INTEGER NOT NULL, structure_id INTEGER, location_id INTEGER NOT NULL,
	cache TEXT NOT NULL, k0 INTEGER NOT NULL, k1 INTEGER NOT NULL, k2 INTEGER NOT NULL, k3 INTEGER NOT NULL,
	k4 INTEGER NOT NULL, k5 INTEGER NOT NULL, k6 INTEGER NOT NULL, k7 INTEGER NOT NULL, k8 INTEGER NOT NULL,
	k9 INTEGER NOT NULL, k10 INTEGER NOT NULL, k11 INTEGER NOT NULL, k12 INTEGER NOT NULL, k13 INTEGER NOT NULL,
	k14 INTEGER NOT NULL, k15 INTEGER NOT NULL, u0 INTEGER NOT NULL, u1 INTEGER NOT NULL, u2 INTEGER NOT NULL,
	u3 INTEGER NOT NULL, u4 INTEGER NOT NULL, u5 INTEGER NOT NULL, u6 INTEGER NOT NULL, u7 INTEGER NOT NULL,
	u8 INTEGER NOT NULL, u9 INTEGER NOT NULL, u10 INTEGER NOT NULL, u11 INTEGER NOT NULL, u12 INTEGER NOT NULL,
	u13 INTEGER NOT NULL, u14 INTEGER NOT NULL, u15 INTEGER NOT NULL);
-- References of the instruction at a location to a structure, hits too. counted: exactly, beside windows;
-- seen: in windows; w0 to w15: the sums of their weights, by group of windows. A weight says how many references of
-- the run a seen one stands for, in a unit of its own.
CREATE TABLE reference(id INTEGER PRIMARY KEY, structure_id INTEGER NOT NULL, location_id INTEGER NOT NULL, counted INTEGER NOT NULL,
	seen INTEGER NOT NULL, w0 INTEGER NOT NULL, w1 INTEGER NOT NULL, w2 INTEGER NOT NULL, w3 INTEGER NOT NULL,
	w4 INTEGER NOT NULL, w5 INTEGER NOT NULL, w6 INTEGER NOT NULL, w7 INTEGER NOT NULL, w8 INTEGER NOT NULL,
	w9 INTEGER NOT NULL, w10 INTEGER NOT NULL, w11 INTEGER NOT NULL, w12 INTEGER NOT NULL, w13 INTEGER NOT NULL,
	w14 INTEGER NOT NULL, w15 INTEGER NOT NULL);
-- How a structure is accessed, as windows saw it. windows, seen: those that saw it, and accesses there, as plain
-- numbers; the rest is weighted. known: strides, of them usual: with the most frequent one of their instruction, and
-- near: less than a line. words: loads that may be an address, of them to_self, to_others: used as one, of this
-- structure or another. from_self, from_others: accesses there, through a word that was loaded before. inside: those
-- elsewhere in the block of the last one of their instruction; hops: those in another block; rows: of hops, where
-- another structure held the block's address.
CREATE TABLE pattern(structure_id INTEGER PRIMARY KEY, windows INTEGER NOT NULL, seen INTEGER NOT NULL,
	accesses INTEGER NOT NULL, known INTEGER NOT NULL, usual INTEGER NOT NULL, near INTEGER NOT NULL,
	words INTEGER NOT NULL, to_self INTEGER NOT NULL, to_others INTEGER NOT NULL, from_self INTEGER NOT NULL,
	from_others INTEGER NOT NULL, inside INTEGER NOT NULL, hops INTEGER NOT NULL, rows INTEGER NOT NULL);
-- The most frequent usual strides, in bytes, with their accesses: which of 32 parts of it these touched (of 8 bytes at
-- least), a bit each, and how wide they were.
CREATE TABLE pattern_step(structure_id INTEGER NOT NULL, number INTEGER NOT NULL, bytes INTEGER NOT NULL,
	accesses INTEGER NOT NULL, touched INTEGER NOT NULL, narrowest INTEGER NOT NULL, widest INTEGER NOT NULL,
	PRIMARY KEY(structure_id, number)) WITHOUT ROWID;
-- The event profile: counts of a simulation, or of another tool whose file was imported.
-- event has its columns, numbered from 0: first the measured ones, then the derived ones, whose formula names others.
CREATE TABLE event(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, description TEXT, formula TEXT);
CREATE TABLE geometry(name TEXT PRIMARY KEY, value TEXT NOT NULL);      -- what was simulated, in the order of rows
CREATE TABLE object(id INTEGER PRIMARY KEY, path TEXT NOT NULL);
-- Functions in a calling context. list has for each: process, thread (-1: all threads), id of place, id of object
-- (-1: unknown), and the calling node (-1: no context was recorded).
CREATE TABLE node_batch(first_id INTEGER PRIMARY KEY, list TEXT NOT NULL);
CREATE VIEW node AS WITH n AS MATERIALIZED (SELECT first_id + key AS id,
	json_extract(value, '$[0]') AS process_id, nullif(json_extract(value, '$[1]'), -1) AS thread,
	json_extract(value, '$[2]') AS place_id, json_extract(value, '$[3]') AS object_id,
	nullif(json_extract(value, '$[4]'), -1) AS caller_id
	FROM node_batch, json_each(list))
	SELECT n.id, +process_id AS process_id, +thread AS thread, function, file, object.path AS object,
	+caller_id AS caller_id
	FROM n JOIN place ON place.id = place_id LEFT JOIN object ON object.id = object_id;
-- Increments: add up those with the same ids. list has for each cost: node, location (-1: none); for each arc: caller
-- (-1: none), location of the call, callee, kind, calls. Both end with a number for each measured event, without the
-- zeros at the end. The views cost and arc have columns named after the events; they are created with the events.
CREATE TABLE cost_batch(first_id INTEGER PRIMARY KEY, list TEXT NOT NULL);
CREATE TABLE arc_batch(first_id INTEGER PRIMARY KEY, list TEXT NOT NULL);
CREATE TABLE jump_batch(first_id INTEGER PRIMARY KEY, list TEXT NOT NULL);
CREATE VIEW jump AS SELECT json_extract(value, '$[0]') AS node_id,
	json_extract(value, '$[1]') AS from_location, json_extract(value, '$[2]') AS to_location,
	json_extract(value, '$[3]') AS conditional, json_extract(value, '$[4]') AS executed,
	json_extract(value, '$[5]') AS taken
	FROM jump_batch, json_each(list);
