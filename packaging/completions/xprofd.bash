# Completion of xprofd for bash: commands, options and their values, as `xprofd help` of the installed program names them.
_xprofd()
{
    local program=${COMP_WORDS[0]} current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command= option= word words
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        [[ $word == -* ]] || { command=$word && break; }
    done
    # bash takes "--by=na" for three words.
    if [[ $current == = ]]; then
        option=$before current=
    elif [[ $before == = ]]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    COMPREPLY=()
    if [[ -n $option ]]; then
        words=$("$program" help "${command:-serve}" 2>/dev/null | grep -oE -e "$option=[a-z][a-z|]*" | sed 's/.*=//' | tr '|' '\n' | sort -u)
        [[ -z $words ]] || mapfile -t COMPREPLY <<<"$(compgen -W "$words" -- "$current")"
    elif [[ $current == -* ]]; then
        words=$("$program" help "${command:-serve}" 2>/dev/null | grep -oE -e '(^|[^a-z-])--[a-z][a-z-]*=?' | grep -oE -e '--.*' | sort -ru | awk '{word = $0; sub(/=$/, "", word)} !seen[word]++')
        mapfile -t COMPREPLY <<<"$(compgen -W "$words" -- "$current")"
        [[ ${#COMPREPLY[@]} != 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null
    elif [[ -z $command ]]; then
        words="help $("$program" help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z]\{1,\}\) .*/\1/p')"
        mapfile -t COMPREPLY <<<"$(compgen -W "$words" -- "$current")"
    elif [[ $command == help ]]; then
        words=$("$program" help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z]\{1,\}\) .*/\1/p')
        mapfile -t COMPREPLY <<<"$(compgen -W "$words" -- "$current")"
    fi
    [[ -n ${COMPREPLY[0]} ]] || COMPREPLY=() # nothing fits
}
complete -o bashdefault -o default -F _xprofd xprofd
