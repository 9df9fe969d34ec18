# SPDX-License-Identifier: GPL-2.0-or-later
# Completion for bash: it asks `dwell complete`.
# shellcheck shell=bash

_dwell() {
	local word candidate cur lead files=
	local -a words=()
	local -i i

	# Bash parts words at = and :, which belong to them here.
	for ((i = 1; i <= COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]//\\/}
		if ((${#words[@]})) && [[ $word == [=:]* || ${words[-1]} == *[=:] ]]; then
			words[-1]+=$word
		else
			words+=("$word")
		fi
	done
	if [[ ${COMP_LINE:0:COMP_POINT} == *[[:space:]] && -n ${words[-1]} ]]; then
		words+=("")
	fi
	cur=${words[-1]}
	lead=${cur%"${cur##*[=:]}"}

	COMPREPLY=()
	while IFS=$'\t' read -r candidate _; do
		case $candidate in
		:files) files=-f ;;
		:command) files=-c ;;
		*) COMPREPLY+=("${candidate#"$lead"}") ;;
		esac
	done < <("${COMP_WORDS[0]}" complete "${words[@]}" 2>/dev/null)

	if [[ -n $files ]]; then
		# Readline quotes names, and marks folders.
		compopt -o filenames 2>/dev/null
		[[ $cur == --*=* ]] && cur=${cur#*=}
		while IFS= read -r candidate; do
			COMPREPLY+=("$candidate")
		done < <(compgen "$files" -- "$cur")
		[[ $files == -c ]] && while IFS= read -r candidate; do
			COMPREPLY+=("$candidate")
		done < <(compgen -f -- "$cur")
	else
		for i in "${!COMPREPLY[@]}"; do
			printf -v "COMPREPLY[i]" %q "${COMPREPLY[i]}"
		done
	fi
	return 0
}

complete -F _dwell dwell
