# SPDX-License-Identifier: GPL-2.0-or-later
# Completion for fish: it asks `dwell complete`.

function __dwell_complete
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    for line in ($before[1] complete $before[2..-1] "$current" 2>/dev/null)
        switch $line
            case ':files' ':command'
                __fish_complete_path (string replace -r '^--[^=]*=' '' -- "$current")
                test $line = ':command'; and complete -C "$current"
            case '*'
                echo $line
        end
    end
end

complete -c dwell -f -a '(__dwell_complete)'
