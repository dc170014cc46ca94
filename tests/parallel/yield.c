// Lets ranks of MPICH share cores, for `make test-mpich`, whose tests start up to seven ranks on any machine.
//
// MPICH over UCX, as Debian and Ubuntu build it, waits for a message in a loop that never gives up its core. With more
// ranks than cores, a rank then waits until the time slice of another has passed before it gets its message. This
// library is loaded before UCX and gives the core away whenever there was nothing to do: an MPI_Allreduce of five ranks
// on two cores takes 4 instead of 20 ms.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>

unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*progress)(void *);
    if (!progress)
        progress = (unsigned (*)(void *))dlsym(RTLD_NEXT, "ucp_worker_progress");
    const unsigned done = progress(worker);
    if (!done)
        sched_yield();
    return done;
}
