# Read by every shim, which says in $nutsync where nutsync's folder of this repository is.
#
# It runs the hook that was there before, then tells without starting Python whether a change concerns
# memory at all. The words between at signs are filled in when the hooks are installed.

version=@VERSION@
python=@PYTHON@
package=@PACKAGE@
start=@START@
memory=@MEMORY@
before=@BEFORE@
cell=.agents/nutstore-sync
newline='
'

hook=${0##*/}
hook=${hook%.legacy} # pre-commit (the framework) keeps a hook that it found under this name
kept=${before:+$before/$hook}
kept=${kept:-${0%/*}/$hook.before-nutsync}
if [ -n "$NUTSYNC_ALONE" ]; then
    kept= # Git started this by its configuration, and starts the hook that is in the folder itself
    unset NUTSYNC_ALONE
fi

# Of what Git says of a move of refs, only what concerns memory. Git asks twice for every tag that a fetch
# brings, so this comes first: what does not concern memory reads no further.
input=
everything=
read_moves() {
    while read -r old new ref; do
        [ "$ref" = "$memory" ] && [ "$old" != "$new" ] && input="$input$old $new $ref$newline"
    done
}
if [ "$hook" = reference-transaction ] && [ ! -x "$kept" ]; then
    [ "$1" = prepared ] || exit 0
    read_moves
    [ -n "$input" ] || exit 0
fi

missing() {
    case $hook in post-* | prepare-commit-msg) exit 0 ;; esac
    echo "nutsync: refused, because the program that guards memory here is gone: $python with $package/nutsync." >&2
    echo "  Nothing was changed or lost. Install nutsync again, then run \`nutsync hooks install\` here." >&2
    echo "  To do without the guard: the shims in ${0%/*} name nutsync in their second line; take them out." >&2
    exit 1
}

judge() {
    [ -x "$python" ] && [ -f "$package/nutsync/__init__.py" ] || missing
    if [ -n "$input" ]; then
        printf '%s' "$input" | "$python" -I -S -c "$start" "$hook" "$@"
        exit
    fi
    exec "$python" -I -S -c "$start" "$hook" "$@"
}

# Whether the index holds the cell as HEAD does, and no merge is under way.
cell_unchanged() {
    [ ! -e "${GIT_DIR:-.git}/MERGE_HEAD" ] &&
        GIT_LITERAL_PATHSPECS=0 git diff-index --cached --quiet HEAD -- ":(top,icase)$cell" 2>/dev/null
}

# Whether the commit $2 stands on $1 alone and changes nothing in .agents. $1 and $2 are whole ids.
passes_by() {
    said=$(GIT_NO_REPLACE_OBJECTS=1 GIT_GRAFT_FILE="$nutsync/no-grafts" \
        git diff-tree --format=%P --name-only "$2" -- 2>/dev/null) || return 1
    [ "${said%%"$newline"*}" = "$1" ] || return 1
    case $said$newline in *"$newline".[aA][gG][eE][nN][tT][sS]"$newline"*) return 1 ;; esac
}

# What pre-commit noted of a draft in which nothing was found (see nutsync/operations/hooks/note.py).
read_note() {
    judged=
    {
        IFS= read -r committer && IFS= read -r parent && IFS= read -r author && IFS= read -r until &&
            IFS= read -r actor && IFS= read -r device && IFS= read -r stamp &&
            while IFS= read -r line; do judged="$judged$line$newline"; done
    } 2>/dev/null <"$nutsync/judged"
    [ -n "$judged" ]
}

# Whether the `git commit` that runs this hook has a note and no editor, so that its message is at hand.
is_noted() {
    [ "$GIT_EDITOR" = : ] && [ "$PPID" -gt 1 ] && read_note && [ "$committer" = "$PPID" ]
}

# Whether the text names an operation of nutsync's anywhere: then the message decides, and is to be judged.
names_operation() {
    case $1 in *[nN][uU][tT][sS][yY][nN][cC]-[oO][pP]*) ;; *) return 1 ;; esac
}

# Stamp the plainest of messages: no comments, and nothing that could be a trailer already.
stamp_plainly() {
    text=
    paragraphs=
    while IFS= read -r line || [ -n "$line" ]; do
        case $line in
        [#\;@!$%^\&\|:]* | *[nN][uU][tT][sS][yY][nN][cC]-*) return 1 ;;
        *:* | '('*) [ -z "$paragraphs" ] || return 1 ;;
        '') [ -z "$text" ] || paragraphs=1 ;;
        esac
        text="$text$line"
    done <"$1"
    case $text in *[![:space:]]*) printf '\n%s\n%s\n%s\n' "$actor" "$device" "$stamp" >>"$1" ;; *) return 1 ;; esac
}

# Whether the move from $1 to $2 makes exactly the commit that was noted, on time. A message in another encoding
# (%e, right behind the date) reads as Git translates it, which is not what is judged: so it is judged.
is_as_noted() {
    read_note && [ "$parent" = "$1" ] || return 1
    said=$(GIT_NO_REPLACE_OBJECTS=1 GIT_GRAFT_FILE="$nutsync/no-grafts" git diff-tree -r --raw --no-abbrev \
        --no-renames --date=raw --format='%P%n%ad%n%cd%e%n%w(0,1,1)%B%w(0,0,0)' "$2" -- ":(top,icase)$cell" 2>/dev/null) || return 1
    names_operation "$said" && return 1
    dates=${said#"$1$newline$author$newline"}
    [ "$dates" != "$said" ] && [ ":${said#*"$newline":}$newline" = "$judged" ] || return 1
    committed=${dates%%"$newline"*}
    [ "${committed#* }" = "${author#* }" ] &&
        [ "${committed% *}" -ge "${author% *}" ] && [ "${committed% *}" -le "$until" ] || return 1
    mv "$nutsync/judged-ancestry.$committer" "$nutsync/ancestry/$2" 2>/dev/null
    echo "$1 $2" >"$nutsync/vouched"
}

# All of standard input, for a hook that was there before.
read_all() {
    input=$(cat)${newline}
    [ "$input" != "$newline" ] || input=
}

run_kept() {
    [ -n "$kept" ] && [ -x "$kept" ] && [ ! -d "$kept" ] || return 0
    if [ -n "$input" ]; then
        printf '%s' "$input" | "$kept" "$@" || exit
    else
        "$kept" "$@" || exit
    fi
}

case $hook in
reference-transaction)
    if [ -n "$kept" ] && [ -x "$kept" ]; then
        read_all
        run_kept "$@"
        everything=$input
        input=
        read_moves <<EOF
$everything
EOF
    fi
    [ "$1" = prepared ] && [ -n "$input" ] || exit 0
    move=${input% "$memory$newline"}
    read -r vouched 2>/dev/null <"$nutsync/vouched"
    [ "$move" != "$vouched" ] || exit 0
    case $move in *"$newline"*) judge "$@" ;; esac
    is_as_noted "${move% *}" "${move#* }" && exit 0
    passes_by "${move% *}" "${move#* }" && exit 0
    judge "$@"
    ;;
pre-merge-commit)
    run_kept "$@"
    judge "$@"
    ;;
pre-commit)
    run_kept "$@"
    cell_unchanged || judge "$PPID"
    echo "$PPID" 2>/dev/null >"$nutsync/outside"
    exit 0
    ;;
prepare-commit-msg | commit-msg)
    run_kept "$@"
    # Git itself started pre-commit a moment ago: had it changed memory, the note would not be there.
    read -r outside 2>/dev/null <"$nutsync/outside"
    [ "$outside" != "$PPID" ] || [ "$PPID" -le 1 ] || exit 0
    if is_noted; then
        if [ "$hook" = commit-msg ]; then
            names_operation "$(cat "$1")" || exit 0
        elif [ "$2" = message ] && stamp_plainly "$1"; then
            exit 0
        fi
    fi
    [ "$2" = commit ] || [ "$hook" = commit-msg ] || ! cell_unchanged || exit 0
    judge "$@"
    ;;
pre-push | pre-receive | post-receive)
    read_all
    run_kept "$@"
    if [ "$hook" = pre-push ] && read -r sent there 2>/dev/null <"$nutsync/sending"; then
        # A sync judged just that a moment ago, and names the commit itself as what it sends.
        case $input in "$sent $sent $memory $there$newline") exit 0 ;; esac
    fi
    case $input in *"$memory"* | *refs/nutsync/*) judge "$@" ;; esac
    ;;
post-checkout)
    run_kept "$@"
    [ "$3" = 1 ] || exit 0
    git diff-tree --quiet "$1" "$2" -- "$cell/memory/archive" 2>/dev/null || judge "$@"
    ;;
post-merge | post-rewrite)
    [ "$hook" = post-merge ] || read_all
    run_kept "$@"
    [ "$1" != amend ] || exit 0
    git diff-tree --quiet ORIG_HEAD HEAD -- "$cell/memory/archive" 2>/dev/null || judge "$@"
    ;;
*) run_kept "$@" ;;
esac
