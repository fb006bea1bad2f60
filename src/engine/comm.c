#include "engine/comm.h"

#include <math.h>

/* One direction of a x16 slot by PCIe generation (PCI-SIG); an unknown one counts as the third. */
static double pcie_bytes_per_s(const struct gpu *gpu)
{
    static const double by_generation[] = {8e9, 4e9, 8e9, 16e9, 32e9, 63e9, 121e9};
    int known = gpu->pcie_gen > 0 && gpu->pcie_gen < 7;
    return by_generation[known ? gpu->pcie_gen : 3];
}

double comm_link_bytes_per_s(const struct hardware *hardware, const struct constants *constants)
{
    const struct global_constants *achieved = &constants->global;
    double stated = hardware->link_gbs / 2 * 1e9;
    if (hardware->link == LINK_NVLINK)
        return achieved->nvlink * (stated > 0 ? stated : hardware->gpu->nvlink_gbs / 2 * 1e9);
    double nominal = stated > 0 ? stated : pcie_bytes_per_s(hardware->gpu);
    return nominal * (hardware->link == LINK_PCIE_SWITCH ? achieved->pcie_switch : achieved->pcie);
}

double comm_host_bytes_per_s(const struct hardware *hardware, const struct constants *constants)
{
    return pcie_bytes_per_s(hardware->gpu) * constants->global.pcie;
}

double comm_network_bytes_per_s(const struct hardware *hardware, const struct constants *constants)
{
    if (hardware->nodes <= 1)
        return INFINITY;
    double achieved = hardware->rdma ? constants->global.rdma : constants->global.tcp;
    return hardware->network_gbps * 1e9 / 8 * achieved;
}

double comm_group_bytes_per_s(const struct hardware *hardware, const struct constants *constants,
                              int ranks)
{
    double link = comm_link_bytes_per_s(hardware, constants);
    if (ranks <= hardware->gpus_per_node)
        return link;
    return fmin(link, comm_network_bytes_per_s(hardware, constants) / hardware->gpus_per_node);
}

static int ranks_inside(const struct hardware *hardware, int ranks, int stride)
{
    int inside = hardware->gpus_per_node / stride;
    return inside < 1 ? 1 : inside < ranks ? inside : ranks;
}

bool comm_spans_machines(const struct hardware *hardware, int ranks, int stride)
{
    return ranks > ranks_inside(hardware, ranks, stride);
}

/* A ring over n ranks passes (n - 1) / n of the payload over each link (Patarasuk and Yuan 2009).
 * Between machines a hierarchical ring brings into each of them what its own ranks do not hold,
 * once for each of the `stride` groups that live side by side in the machine. */
double comm_ring_s_per_byte(const struct hardware *hardware, const struct constants *constants,
                            int ranks, int stride)
{
    if (ranks <= 1)
        return 0;
    int inside = ranks_inside(hardware, ranks, stride);
    double link = (ranks - 1.0) / ranks / comm_link_bytes_per_s(hardware, constants);
    if (ranks <= inside)
        return link;
    int groups = stride < hardware->gpus_per_node ? stride : hardware->gpus_per_node;
    double network =
        groups * (1 - (double)inside / ranks) / comm_network_bytes_per_s(hardware, constants);
    return fmax(link, network);
}
