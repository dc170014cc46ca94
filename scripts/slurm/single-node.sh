#!/bin/bash
# A run on one node that outlives its time limit: five minutes before it the run writes a checkpoint and ends with code
# 4, and the job queues itself again to go on from there. Submit it in the directory in which the run is to be started:
#
#     sbatch --time=24:00:00 --cpus-per-task=64 .../scripts/slurm/single-node.sh run.yaml
#     sbatch --time=24:00:00 --ntasks=4 --gpus=4 .../scripts/slurm/single-node.sh run.yaml       # a rank a GPU
#
# Further arguments go to fr-les. FR_LES names the program if it is not in PATH. `scancel` ends the job for good.
#SBATCH --job-name=fr-les
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --time=24:00:00
#SBATCH --signal=B:USR1@300
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=fr-les-%j.log

set -u

# --bind-to none: the ranks share all cores that the job has. `restart: latest` begins with the initial state the first
# time.
program=${FR_LES:-fr-les}
path=$(command -v "$program")
mpirun -n "${SLURM_NTASKS:-1}" --bind-to none "$program" "$@" --set restart=latest &
run=$!
# Slurm sends the signal to this script alone (B:). The script passes it to the ranks, since not every mpirun does. They
# are children of mpirun, of its proxy or of Slurm: the ranks are the processes of this job that run the program.
signal_ranks() {
    local rank
    for rank in /proc/[0-9]*; do
        if [[ $rank/exe -ef $path ]] && grep -qsz "^SLURM_JOB_ID=$SLURM_JOB_ID$" "$rank/environ"; then
            kill -USR1 "${rank#/proc/}"
        fi
    done
}
trap signal_ranks USR1
# A signal ends `wait`, but not the run.
while kill -0 "$run" 2>/dev/null; do
    wait "$run"
done
wait "$run"
code=$?

case $code in
    0) echo "fr-les is done" ;;
    4) echo "fr-les stopped with a checkpoint: queued again" && scontrol requeue "$SLURM_JOB_ID" ;;
    *) echo "fr-les failed with code $code: not queued again" ;;
esac
exit $code
