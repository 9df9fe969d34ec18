/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The formats of --format, in the order of its choices. */
#ifndef DWELL_CLI_VIEW_FORMAT_H
#define DWELL_CLI_VIEW_FORMAT_H

enum view_format {
	VIEW_TEXT,
	VIEW_CSV,
	VIEW_JSON,
};

#endif
