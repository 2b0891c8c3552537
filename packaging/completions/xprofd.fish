# Completion of xprofd for fish: commands, options and their values, as `xprofd help` of the installed program names them.
function __xprofd_command
    string match --invert -- '-*' (commandline -opc)[2..] | head -n 1
end
function __xprofd_commands
    xprofd help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z]\{1,\}\)  *\(.*\)/\1\t\2/p'
    printf 'help\twhat a command does\n'
end
function __xprofd_options
    set -l command (__xprofd_command)
    test -n "$command"; or set command serve
    set -l text (xprofd help $command 2>/dev/null | string collect)
    set -l current (commandline -ct)
    if string match -q -- '--*=*' $current
        set -l option (string replace -r '=.*' '' -- $current)
        for value in (printf '%s' $text | grep -oE -e "$option=[a-z][a-z|]*" | sed 's/.*=//' | tr '|' '\n' | sort -u)
            echo $option=$value
        end
    else
        printf '%s' $text | grep -oE -e '(^|[^a-z-])--[a-z][a-z-]*=?' | grep -oE -e '--.*' | sort -ru | awk '{word = $0; sub(/=$/, "", word)} !seen[word]++'
    end
end
complete -c xprofd -n 'test -z (__xprofd_command); or test (__xprofd_command) = help' -a '(__xprofd_commands)'
complete -c xprofd -n 'string match -q -- "-*" (commandline -ct)' -a '(__xprofd_options)'
