#!/usr/bin/env bash
# invariant: a Slurm job array on two nodes, one task killed half-way and requeued, makes a store
# that is equal to the last bit to that of one process; sums by an array train the model of one.
# Usage: slurm_test.sh COMMAND SOURCE
# Starts munged, slurmctld and a slurmd for each node of its own, on the loopback address and in a
# folder of its own, and ends them by their numbers. 77: Slurm is not installed, or not as root.
set -euo pipefail
command=$1 source=$2
skip() { echo "skipped: $1"; exit 77; }
for program in munged slurmctld slurmd sbatch scontrol; do
  PATH=$PATH:/usr/sbin:/sbin command -v $program >/dev/null || skip "$program is not installed (slurm-wlm, munge)"
done
[ "$(id -u)" = 0 ] || skip "slurmd needs root"
PATH=$PATH:/usr/sbin:/sbin

work=$(mktemp -d /tmp/leafglyph-slurm-XXXXXX)
daemons=()
finish() {
  local code=$?
  for pid in "${daemons[@]}"; do kill "$pid" 2>/dev/null || true; done
  for pid in "${daemons[@]}"; do wait "$pid" 2>/dev/null || true; done
  [ $code = 0 ] || tail -n 20 "$work"/*.log "$work"/task-*.out 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT

# Nobody else's ports: three free ones, above those of services.
read -r port_ctl port_a port_b < <(python3 -c '
import socket
free = [socket.socket() for _ in range(3)]
for one in free: one.bind(("127.0.0.1", 0))
print(*(one.getsockname()[1] for one in free))')

mkdir -p "$work"/{munge,state,spool-a,spool-b}
chmod 0700 "$work/munge"
chmod 0755 "$work"
head -c 1024 /dev/urandom > "$work/munge/key"
chmod 0400 "$work/munge/key"
munged --foreground --force --socket="$work/munge.socket" --key-file="$work/munge/key" \
  --pid-file="$work/munge/pid" --seed-file="$work/munge/seed" --log-file="$work/munge.log" \
  >"$work/munged.log" 2>&1 &
daemons+=($!)

cat > "$work/slurm.conf" <<CONF
ClusterName=leafglyph
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=$port_ctl
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket
CredType=cred/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool-%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd-%n.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
MpiDefault=none
ReturnToService=2
KillWait=2
NodeName=a NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=$port_a CPUs=1
NodeName=b NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=$port_b CPUs=1
PartitionName=all Nodes=a,b Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$work/slurm.conf

until_true() {  # until_true SECONDS WHAT COMMAND...
  local seconds=$1 what=$2
  shift 2
  for _ in $(seq $((seconds * 5))); do
    if "$@"; then return 0; fi
    sleep 0.2
  done
  echo "after $seconds s there is still no $what" >&2
  return 1
}
until_true 20 "munged" test -S "$work/munge.socket"
slurmctld -D >"$work/ctld.log" 2>&1 &
daemons+=($!)
for node in a b; do
  slurmd -D -N $node >"$work/slurmd.$node.log" 2>&1 &
  daemons+=($!)
done
two_idle() { [ "$(sinfo -h -N -o '%T' 2>/dev/null | grep -c idle)" = 2 ]; }
until_true 60 "pair of idle nodes" two_idle

# The leaves: Flavia's where they are, else generated ones.
images=${LEAFGLYPH_FLAVIA:-}
if [ -z "$images" ]; then
  "$command" leaf generate --out "$work/leaves" --species 8 --leaves 20 --seed 1 --quiet >/dev/null
  images=$work/leaves
fi
export OPENBLAS_CORETYPE=${OPENBLAS_CORETYPE:-Haswell}
arguments=("$images" --config "$source/configs/leaf.yaml" --block 16)
"$command" features extract "${arguments[@]}" --out "$work/one" --device cpu --quiet

# Task 1 is killed once, as soon as it has written a block: its command, as a kernel out of memory
# would. The command itself is asked whether it still runs, so that it cannot have ended before.
cat > "$work/killed_once" <<KILL
#!/usr/bin/env bash
case " \$* " in *" --shard 1/4 "*) ;; *) exec "$command" "\$@" ;; esac
mkdir "$work/killed" 2>/dev/null || exec "$command" "\$@"
"$command" "\$@" &
until [ -e "$work/array/00000001.csv" ]; do kill -0 \$! || exit 1; done
kill -9 \$! && wait \$!
KILL
chmod +x "$work/killed_once"
LEAFGLYPH=$work/killed_once sbatch --parsable --array=0-3 --cpus-per-task=1 --mem-per-cpu=0 --time=60 \
  --chdir="$work" --output="$work/task-%a.out" "$source/tools/cluster/extract.sbatch" \
  "${arguments[@]}" --out "$work/array" >"$work/job"
job=$(cat "$work/job")
requeued() { scontrol show job "${job}_1" 2>/dev/null | grep -q 'Restarts=1'; }
until_true 120 "requeued task 1" requeued
echo "task 1 was killed with $(ls "$work/array" | grep -c 'csv$') blocks present, and requeued"

# Slurm lets a requeued job wait for two minutes; it need not here.
again() {
  scontrol update jobid="${job}_1" starttime=now 2>/dev/null || true
  [ -z "$(squeue -h -j "$job" -t PENDING,RUNNING,COMPLETING,CONFIGURING,REQUEUED 2>/dev/null)" ]
}
until_true 600 "end of the array" again

diff -r "$work/one" "$work/array"
blocks=$(ls "$work/one" | grep -c 'npy$')
echo "array of 4 tasks on 2 nodes: $blocks blocks equal to the last bit to those of one process"

# Labelled leaves, in a store of several blocks.
"$command" leaf generate --out "$work/known" --species 5 --leaves 6 --seed 2 --quiet >/dev/null
settings=(--config "$source/configs/leaf.yaml" --set features.order=6 --set features.colour=none)
"$command" features extract "$work/known" "${settings[@]}" --block 4 --out "$work/store" --quiet
LEAFGLYPH=$command sbatch --parsable --array=0-3 --cpus-per-task=1 --mem-per-cpu=0 --time=60 \
  --chdir="$work" --output="$work/sums-%a.out" "$source/tools/cluster/sums.sbatch" \
  "$work/sums" "$work/store" "${settings[@]}" >"$work/job"
job=$(cat "$work/job")
done_with_sums() { [ -z "$(squeue -h -j "$job" 2>/dev/null)" ]; }
until_true 600 "end of the array of sums" done_with_sums
"$command" leaf train "${settings[@]}" --features "$work/store" --model "$work/one.model" --quiet
"$command" leaf train "${settings[@]}" --sums "$work"/sums.? --model "$work/sums.model" --quiet
diff -r --exclude=manifest.json "$work/one.model" "$work/sums.model"
echo "sums of 4 tasks train the model of one process to the last bit"
