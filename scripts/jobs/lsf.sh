#!/bin/bash
# A run under IBM Spectrum LSF that outlives its time limit: a little before it the run writes a checkpoint and ends
# with code 4, for which LSF puts the job into the queue again to go on from there. A template: adapt resources and
# modules.
#
#     CASE=run.yaml bsub -W 24:00 -n 4 < .../scripts/jobs/lsf.sh
#
# CASE is the case, LIMIT the time after which the run ends (below that of the job), FR_LES the program if it is not in
# PATH. `bkill` ends the job for good.
#BSUB -J fr-les
#BSUB -n 4
#BSUB -W 24:00
#BSUB -o fr-les-%J.log
#BSUB -Q "4"

set -u
# module load openmpi hdf5-parallel

mpirun -n "${LSB_DJOB_NUMPROC:-1}" "${FR_LES:-fr-les}" "$CASE" --set restart=latest \
    --set "time.wall-clock=${LIMIT:-23:50:00}"
code=$?
case $code in
    0) echo "fr-les is done" ;;
    4) echo "fr-les stopped with a checkpoint: queued again (-Q)" ;;
    *) echo "fr-les failed with code $code: not queued again" ;;
esac
exit $code
