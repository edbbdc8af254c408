#!/bin/sh
# A training in Slurm, which continues after a time limit, a preemption or a failed node:
#   sbatch deploy/slurm.sh
#SBATCH --job-name=tiro
#SBATCH --cpus-per-task=16
#SBATCH --mem=6G
#SBATCH --time=12:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --signal=TERM@60

# Tiro exits with 130 after SIGTERM, which Slurm sends 60 seconds before the time limit.
srun tiro train coerceo --run runs/coerceo --cpu-hours 200 --plain
code=$?
if [ $code -eq 130 ]; then
	scontrol requeue "$SLURM_JOB_ID"
fi
exit $code
