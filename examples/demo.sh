#!/usr/bin/env bash
# Serves a copy of examples/substrate-v0.4 on this machine, and goes through the life of one instance.
# Its argument is the folder of the programs; `make demo` gives .venv/bin. Nothing is left behind.
set -euo pipefail
bin=$(cd "${1:?the folder of kagent-apply}" && pwd)
example=$(cd "$(dirname "$0")/substrate-v0.4" && pwd)
folder=$(mktemp -d)
server=""

clean() {
  [ -z "$server" ] || { kill "$server" && wait "$server"; } 2>/dev/null || true
  rm -rf "$folder"
}
trap clean EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

say() { printf '\n# %s\n' "$*"; }
ask() {
  printf '$ kagent-apply %s\n' "$*"
  "$bin/kagent-apply" "$@"
}
in_git() { env GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 git -C "$folder/team" "$@"; }

cp -R "$example" "$folder/team"
in_git init --quiet
in_git add .
in_git -c user.name=demo -c user.email=demo@example.com commit --quiet --message "Three agents"

say "Serving what is committed; with --echo every agent repeats what it is told."
printf '$ kagent-apply serve --echo\n'
: >"$folder/log" # there before the server writes it
"$bin/kagent-apply" serve --echo --repo "$folder/team" --state "$folder/state" --drain 2 \
  --listen 127.0.0.1:0 --log-format text 2>"$folder/log" &
server=$!
until grep -q 'ready on ' "$folder/log"; do
  kill -0 "$server" 2>/dev/null || { cat "$folder/log" >&2; exit 1; }
  sleep 0.1
done
KAGENT_APPLY_SERVER=$(sed -n 's/.*ready on //p' "$folder/log")
export KAGENT_APPLY_SERVER
echo "ready on $KAGENT_APPLY_SERVER"
ask revisions

say "An instance. The same request again makes no second one."
agent=(-n agent-team --harness python-runtime --template incident-coordinator)
ask create "${agent[@]}" --request-id demo | tee "$folder/created"
ask create "${agent[@]}" --request-id demo | sed -n 1,4p
id=$(sed -n 's/^id  *//p' "$folder/created")
ask list -n agent-team

say "Its life."
for operation in suspend resume delete; do
  ask "$operation" -n agent-team "$id" | grep -e '^\$' -e '^state'
done
ask list -n agent-team
