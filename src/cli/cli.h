/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the commands share. Only this folder prints, and only main returns to the system. */
#ifndef DWELL_CLI_CLI_H
#define DWELL_CLI_CLI_H

#include "base/err.h"
#include "cli/exit_codes.h"

#ifndef DWELL_VERSION
#define DWELL_VERSION "0"
#endif

/* "dwell: sentence." on stderr; returns the code, so that commands say return cli_fail(...). */
int cli_fail(const struct err *err, int exit_code);

/*
 * The commands. argv[0] is "dwell NAME"; each parses its own options, does its
 * work and returns an exit code of exit_codes.h. What they leave in stdout's
 * buffer is flushed, and checked, by main.
 */
int cmd_record(int argc, char **argv);
int cmd_stop(int argc, char **argv);
int cmd_dump(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_curve(int argc, char **argv);
int cmd_annotate(int argc, char **argv);
int cmd_spatial(int argc, char **argv);
int cmd_objects(int argc, char **argv);
int cmd_paths(int argc, char **argv);
int cmd_reuse(int argc, char **argv);
int cmd_processes(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_calls(int argc, char **argv);
int cmd_import(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_simulate(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_diff(int argc, char **argv);

#endif
