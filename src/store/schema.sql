-- SPDX-License-Identifier: GPL-2.0-or-later
-- The profile file: one SQLite database per run. Users may query it; see docs/schema.md.
-- PRAGMA application_id = 0x44574c31 ('DWL1'), user_version = the schema's version (1).
CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
-- command, host, cpu, start_time (unix seconds), wall_ns, target_cpu_ns, collector_cpu_ns, tsc_hz,
-- gear, seed, line_bytes, duty_ppm, sample_period, l1d_bytes, l2_bytes, l3_bytes (0: not known), exit_status,
-- collector_pid, version, lost_processes, state ('running','complete')
CREATE TABLE process(
	id INTEGER PRIMARY KEY,          -- order number in the run, from 0
	pid INTEGER NOT NULL, parent_id INTEGER, cause TEXT NOT NULL,   -- 'start','fork','exec'
	exe TEXT NOT NULL, command TEXT NOT NULL,
	start_ns INTEGER NOT NULL, end_ns INTEGER,
	state TEXT NOT NULL,             -- 'running','exited','exec','killed','detached'
	exit_status INTEGER,
	accesses INTEGER NOT NULL DEFAULT 0, loads INTEGER NOT NULL DEFAULT 0,
	stores INTEGER NOT NULL DEFAULT 0, instructions INTEGER NOT NULL DEFAULT 0,
	rep_iterations INTEGER NOT NULL DEFAULT 0, vector_elements INTEGER NOT NULL DEFAULT 0,
	watch_accesses INTEGER NOT NULL DEFAULT 0,
	translate_cycles INTEGER NOT NULL DEFAULT 0, scan_cycles INTEGER NOT NULL DEFAULT 0,
	engine_bytes INTEGER NOT NULL DEFAULT 0, footprint_pages INTEGER NOT NULL DEFAULT 0,
	lost_records INTEGER NOT NULL DEFAULT 0);
CREATE TABLE thread(process_id INTEGER NOT NULL, idx INTEGER NOT NULL, tid INTEGER NOT NULL,
	accesses INTEGER, loads INTEGER, stores INTEGER, instructions INTEGER,
	PRIMARY KEY(process_id, idx)) WITHOUT ROWID;
CREATE TABLE module(id INTEGER PRIMARY KEY, process_id INTEGER NOT NULL, path TEXT NOT NULL,
	build_id TEXT, start INTEGER NOT NULL, end INTEGER NOT NULL, file_offset INTEGER NOT NULL,
	mapped_at INTEGER NOT NULL, unmapped_at INTEGER);       -- positions in accesses
CREATE TABLE window(process_id INTEGER NOT NULL, number INTEGER NOT NULL,
	start INTEGER NOT NULL, length INTEGER NOT NULL, stands_for INTEGER NOT NULL,
	samples INTEGER NOT NULL, footprint_pages INTEGER NOT NULL,
	PRIMARY KEY(process_id, number)) WITHOUT ROWID;
-- A code location: one pc of one process, resolved. frame depth 0 is the innermost inlined function.
CREATE TABLE location(id INTEGER PRIMARY KEY, process_id INTEGER NOT NULL, pc INTEGER NOT NULL,
	module_id INTEGER, module_address INTEGER);
CREATE TABLE frame(location_id INTEGER NOT NULL, depth INTEGER NOT NULL, function TEXT NOT NULL,
	file TEXT, line INTEGER, PRIMARY KEY(location_id, depth)) WITHOUT ROWID;
CREATE TABLE sample(id INTEGER PRIMARY KEY, process_id INTEGER NOT NULL, window INTEGER NOT NULL,
	status INTEGER NOT NULL,         -- 0 reused, 1 censored, 2 dangling
	position INTEGER NOT NULL, distance INTEGER NOT NULL, line INTEGER NOT NULL,
	begin_location INTEGER NOT NULL, begin_address INTEGER NOT NULL, begin_size INTEGER NOT NULL,
	begin_kind INTEGER NOT NULL, begin_thread INTEGER NOT NULL,
	end_location INTEGER, end_address INTEGER, end_size INTEGER, end_kind INTEGER, end_thread INTEGER);
CREATE TABLE message(process_id INTEGER, time_ns INTEGER, text TEXT NOT NULL);
CREATE TABLE source(path TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;   -- embedded copies of annotated files
