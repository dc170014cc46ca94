#!/bin/bash
# A run under PBS Pro or OpenPBS that outlives its time limit: a little before it the run writes a checkpoint and ends
# with code 4, and the script submits itself again to go on from there. A template: adapt the resources and modules.
#
#     qsub -l select=1:ncpus=64:mpiprocs=4 -l walltime=24:00:00 -v CASE=run.yaml .../scripts/jobs/pbs.sh
#
# CASE is the case, LIMIT the time after which the run ends (below that of the job), FR_LES the program if it is not in
# PATH. `qdel` ends the job for good.
#PBS -N fr-les
#PBS -j oe
#PBS -l select=1:ncpus=64:mpiprocs=4
#PBS -l walltime=24:00:00

set -u
cd "$PBS_O_WORKDIR" || exit 1
# module load openmpi hdf5-parallel

ranks=$(wc -l <"$PBS_NODEFILE")
limit=${LIMIT:-23:50:00}
mpirun -n "$ranks" "${FR_LES:-fr-les}" "$CASE" --set restart=latest --set "time.wall-clock=$limit"
code=$?
case $code in
    0) echo "fr-les is done" ;;
    # PBS keeps a copy of the script while the job runs.
    4) echo "fr-les stopped with a checkpoint: submitted again" &&
        qsub -v CASE="$CASE",LIMIT="$limit",FR_LES="${FR_LES:-fr-les}" "$0" ;;
    *) echo "fr-les failed with code $code: not submitted again" ;;
esac
exit $code
