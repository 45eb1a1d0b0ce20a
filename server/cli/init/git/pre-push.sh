# >>> wherefore: a push to where notes go takes those of the last commits along (wherefore init --git)
wherefore_told=$(cat)
if command -v {program} >/dev/null 2>&1; then
  printf '%s\n' "$wherefore_told" | {program} git hook pre-push "$1" "$PPID" >/dev/null || :
fi
exec 0<<WHEREFORE
$wherefore_told
WHEREFORE
# <<< wherefore
