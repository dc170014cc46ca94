#!/bin/bash
# A run on several nodes that outlives its time limit, as single-node.sh; one rank a GPU, or a socket:
#
#     sbatch --nodes=4 --ntasks-per-node=4 --gpus-per-node=4 .../scripts/slurm/multi-node.sh run.yaml
#
# Slurm starts the ranks, so it must know the MPI library of the program: `srun --mpi=list` shows what it knows, and
# pmix is what Open MPI needs. MPICH needs pmi2: set SLURM_MPI_TYPE=pmi2 when the job is submitted. FR_LES names the
# program if it is not in PATH; it must be the same file on all nodes.
#SBATCH --job-name=fr-les
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --time=24:00:00
#SBATCH --signal=USR1@300
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=fr-les-%j.log

set -u

# Without B: the signal goes to all ranks, and the first that sees it stops all of them after the same step.
# --kill-on-bad-exit=0: code 4 of the first rank to end must not kill the others while they close their files.
srun --mpi="${SLURM_MPI_TYPE:-pmix}" --kill-on-bad-exit=0 "${FR_LES:-fr-les}" "$@" --set restart=latest
code=$?

case $code in
    0) echo "fr-les is done" ;;
    4) echo "fr-les stopped with a checkpoint: queued again" && scontrol requeue "$SLURM_JOB_ID" ;;
    *) echo "fr-les failed with code $code: not queued again" ;;
esac
exit $code
