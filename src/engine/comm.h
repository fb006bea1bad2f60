/* comm.h - how fast GPUs talk: inside a machine, between machines, to the host, and what a
 * collective over data-parallel ranks costs. Bytes per second in one direction, as achieved. */
#ifndef GPUWIZ_COMM_H
#define GPUWIZ_COMM_H

#include "engine/constants.h"
#include "engine/job.h"

/* Of one GPU to its neighbours in the machine: NVLink, or PCIe where there is none. */
double comm_link_bytes_per_s(const struct hardware *hardware, const struct constants *constants);

/* Of one GPU to the memory of its machine. */
double comm_host_bytes_per_s(const struct hardware *hardware, const struct constants *constants);

/* Of one whole machine to the others; INFINITY on a single machine. */
double comm_network_bytes_per_s(const struct hardware *hardware, const struct constants *constants);

/* Of one GPU in a group of `ranks` neighbouring GPUs: the link while the group fits in a machine,
 * else the GPU's share of the network. */
double comm_group_bytes_per_s(const struct hardware *hardware, const struct constants *constants,
                              int ranks);

/* Seconds per byte of the whole payload of a ring all-gather or reduce-scatter over `ranks`
 * data-parallel ranks, `stride` GPUs apart (the tensor-parallel size). An all-reduce takes two. */
double comm_ring_s_per_byte(const struct hardware *hardware, const struct constants *constants,
                            int ranks, int stride);

/* Whether such a group spans machines. */
bool comm_spans_machines(const struct hardware *hardware, int ranks, int stride);

#endif
