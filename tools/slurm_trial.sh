#!/bin/bash
# slurm_trial.sh [BUILD]: tries `assay submit` on a real Slurm: a controller and
# four nodes of one core each on this machine, in a temporary folder, with keys
# and ports of their own. One run loses a node in the middle, another a whole
# shard; what is merged must equal a run that was not split. Needs root and
# Debian's slurmctld, slurmd, slurm-client and munge. Nothing is left behind.
set -eu
cd "$(dirname "$0")/.."

say() { printf '%s\n' "trial: $*"; }
die() { say "$*" >&2; exit 1; }

build=${1:-${ASSAY_BUILD:-build/dev-2.11.0}}
[ -x "$build/bin/assay" ] || die "$build/bin/assay is not built"
assay=$(realpath "$build")/bin/assay
[ "$(id -u)" = 0 ] || die "slurmd has to be started by root"
for tool in munged slurmctld slurmd sbatch python3; do
  command -v $tool >/dev/null ||
    die "$tool is missing: apt-get install slurmctld slurmd slurm-client munge"
done

nodes=4
folder=$(mktemp -d /tmp/assay-slurm.XXXXXX)
export SLURM_CONF=$folder/slurm.conf

# Every process of the trial has its folder in its environment, jobs too; of one
# node, those that were started for it. The keepers of jobs, which hide their
# environment, are the parents of those; they come first.
of_trial() {
  local dir pid parent found=() keepers=()
  for dir in /proc/[0-9]*; do
    pid=${dir#/proc/}
    [ "$pid" != $$ ] || continue
    { tr '\0' '\n' <"$dir/environ"; } 2>/dev/null |
      grep -qxF -e "SLURM_CONF=$SLURM_CONF" || continue
    [ $# = 0 ] || { tr '\0' '\n' <"$dir/environ"; } 2>/dev/null |
      grep -qxF -e "SLURMD_NODENAME=$1" -e "TRIAL_NODE=$1" || continue
    found+=("$pid")
    parent=$(awk '/^PPid:/ { print $2 }' "$dir/status" 2>/dev/null) || continue
    [ "$(cat "/proc/$parent/comm" 2>/dev/null)" != slurmstepd ] ||
      keepers+=("$parent")
  done
  echo ${keepers[@]+"${keepers[@]}"} ${found[@]+"${found[@]}"}
}

clean() {
  trap - EXIT
  local left
  # They start one another: until none is left.
  for _ in 1 2 3 4 5; do
    left=$(of_trial)
    [ -n "$left" ] || break
    # shellcheck disable=SC2086
    kill -KILL $left 2>/dev/null || :
    sleep 0.2
  done
  rm -rf "$folder"
}
trap clean EXIT
trap 'exit 3' INT TERM HUP

# until_true SECONDS COMMAND...
until_true() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    [ $SECONDS -lt $end ] || return 1
    sleep 0.5
  done
}

free_ports() {
  python3 - "$1" <<'EOF'
import socket, sys
held = [socket.create_server(("127.0.0.1", 0)) for _ in range(int(sys.argv[1]))]
print(*(s.getsockname()[1] for s in held))
EOF
}

start_cluster() {
  local port n host
  read -r -a port < <(free_ports $((nodes + 1)))
  host=$(hostname -s)
  mkdir "$folder/state" "$folder/munge"
  chmod 700 "$folder/munge"
  dd if=/dev/urandom of="$folder/munge/key" bs=128 count=1 status=none
  chmod 400 "$folder/munge/key"
  {
    cat <<EOF
ClusterName=trial
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=${port[0]}
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket,cred_expire=10
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool-%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd-%n.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd-%n.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
SwitchType=switch/none
MpiDefault=none
MailProg=/bin/true
SlurmdTimeout=10
KillWait=2
UnkillableStepTimeout=10
EOF
    for n in $(seq $nodes); do
      echo "NodeName=n$n NodeHostname=$host NodeAddr=127.0.0.1" \
        "Port=${port[$n]} CPUs=1 RealMemory=1000"
    done
    echo "PartitionName=trial Nodes=ALL Default=YES MaxTime=60 State=UP"
  } >"$SLURM_CONF"
  munged --foreground --force --num-threads=2 \
    --socket="$folder/munge.socket" --key-file="$folder/munge/key" \
    --pid-file="$folder/munge/pid" --log-file="$folder/munge/log" \
    --seed-file="$folder/munge/seed" >"$folder/munged.out" 2>&1 &
  disown
  until_true 10 test -S "$folder/munge.socket" ||
    die "munged does not start: $(cat "$folder/munged.out")"
  slurmctld -D >"$folder/slurmctld.out" 2>&1 &
  disown
  for n in $(seq $nodes); do start_node "$n"; done
  until_true 60 all_idle ||
    die "the nodes do not come up: $(tail -n 3 "$folder"/slurm*.log)"
}
start_node() {
  TRIAL_NODE=n$1 slurmd -D -N "n$1" >"$folder/slurmd-n$1.out" 2>&1 &
  disown
}
all_idle() {
  [ "$(sinfo -h -N -o %T 2>/dev/null | grep -c '^idle$')" = $nodes ]
}
none_queued() { [ -z "$(squeue -h 2>/dev/null)" ]; }

# A small run of some length.
run=(exp log sum softmax log_softmax matmul layer_norm conv2d gelu std var prod
  --profile full --no-golden-cache --subject eager
  --subject "eager{isa=avx2}" --subject "eager{isa=default}")

# The node of a task that has some results, but not all of them.
running_task() {
  task='' node=''
  local index host
  while read -r index host; do
    [ -s "$1/shard-$index/results.jsonl" ] || continue
    [ "$(wc -l <"$1/shard-$index/results.jsonl")" -gt 20 ] || continue
    task=$index node=$host
    return 0
  done < <(squeue -h -t RUNNING -o '%K %N' 2>/dev/null | grep '^[0-9]')
  return 1
}

# How many results a shard must have, and has.
due_of() {
  head -n 1 "$1/results.jsonl" | python3 -c 'import json, sys
header = json.load(sys.stdin)
print(header["shard"]["cases"] * len(header["columns"]))'
}
results_of() { echo $(($(wc -l <"$1/results.jsonl") - 1)); }

submit() {
  "$assay" submit --slurm --shards 6 --partition trial --out "$1" "${run[@]}"
}

compare() {
  tools/same_records.py "$folder/whole/results.jsonl" \
    "$1/merged/results.jsonl"
}

start_cluster
say "a cluster of $nodes nodes is up: $(slurmd -V)"
begin=$SECONDS
"$assay" run "${run[@]}" --jobs 1 --out "$folder/whole" >"$folder/whole.log" \
  2>&1 || :
say "the whole run took $((SECONDS - begin)) s"

# A node dies in the middle: the task begins again elsewhere, and goes on.
begin=$SECONDS
submit "$folder/a"
until_true 120 running_task "$folder/a" || die "no task came so far"
# shellcheck disable=SC2046
kill -KILL $(of_trial "$node") 2>/dev/null || :
records=$(results_of "$folder/a/shard-$task")
due=$(due_of "$folder/a/shard-$task")
say "killed node $node in shard $task, which had $records of $due results"
[ "$records" -lt "$due" ] || die "it had ended before: try again"
until_true 300 none_queued || die "the jobs do not end: $(squeue -h)"
say "all jobs ended after $((SECONDS - begin)) s"
grep -q "Requeuing\|requeue" "$folder/slurmctld.log" ||
  die "nothing was requeued: $(tail -n 5 "$folder/slurmctld.log")"
lines=$(results_of "$folder/a/shard-$task")
say "shard $task was requeued and has $lines results"
[ "$lines" = "$due" ] || die "it did not go on to the end"
tail -n 3 "$folder/a/merge.log"
compare "$folder/a" || die "what was merged is not the whole run"

# A shard is cancelled: the merge names it and the command that completes it.
submit "$folder/b"
until_true 120 running_task "$folder/b" || die "no task came so far"
scancel "$(squeue -h -t RUNNING -o '%F_%K %K' | awk -v t="$task" \
  '$2 == t { print $1 }')"
until_true 300 none_queued || die "the jobs do not end: $(squeue -h)"
records=$(results_of "$folder/b/shard-$task")
due=$(due_of "$folder/b/shard-$task")
say "cancelled shard $task, which had $records of $due results"
[ "$records" -lt "$due" ] || die "it had ended before: try again"
grep -q "shard $task/6" "$folder/b/merge.log" ||
  die "the merge does not name shard $task: $(cat "$folder/b/merge.log")"
[ ! -e "$folder/b/merged/results.jsonl" ] || die "a part was merged"
grep "shard $task/6\|complete it" "$folder/b/merge.log"
command=$(sed -n 's|^assay:   ./assay ||p' "$folder/b/merge.log")
eval "'$assay' $command" >"$folder/b/completed.log" 2>&1 || :
sh "$folder/b/merge.sh" >"$folder/b/merge-again.log" 2>&1 || :
compare "$folder/b" || die "what was merged is not the whole run"
say "passed"
