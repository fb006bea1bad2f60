/* storage_cost.h - disks, object storage and traffic: what they cost, how fast they are, and what
 * storage a job really needs (bytes of checkpoints and weights, not "terabytes an hour"). */
#ifndef GPUWIZ_STORAGE_COST_H
#define GPUWIZ_STORAGE_COST_H

#include "engine/billing.h"

/* The disk of each machine. */
struct disk_plan {
    const struct disk *disk; /* NULL when the catalog has none */
    double gib;
    double bytes_per_s;      /* of one machine's disk at this size */
    bool asked;              /* the scenario names a disk or a size: it is in the total */
};

/* The scenario's disk and size; what is not given is chosen: the fastest disk whose prices are all
 * quoted, as large as storage_need_gib. */
struct disk_plan storage_disk(const struct billing_input *input);

/* GiB that each machine's disk must hold: the system and its software, this machine's part of what
 * is loaded, and two checkpoints, so that one survives while the next is written. */
double storage_need_gib(const struct billing_input *input);

/* Price of a disk by the hour; falls back on the month's price by the same 480-hour rule that the
 * quotes follow (then *scaled is set). NAN when it has none. */
double storage_hour_cny(const struct disk *disk, double gib, bool *scaled);

/* A disk that would do, and what it does. */
struct storage_option {
    const struct disk *disk;
    double gib;
    double checkpoint_s, load_s; /* of the job at this size, all machines writing together */
    double cny_month;            /* of one machine's disk; NAN = no price */
    double iops;
    double full_iops_gib, full_iops_cny_month; /* size and price at which the advertised maximum is
                                                * reached */
};
enum { STORAGE_OPTIONS = 8 };
/* Every disk kind at the least size that holds the job; returns how many. */
int storage_options(const struct billing_input *input,
                    struct storage_option options[STORAGE_OPTIONS]);

/* A cost that nobody asked about, with its price for this job. */
struct hidden_cost {
    const char *label;   /* N_() */
    const char *note;    /* N_(): when it arises and how to avoid it */
    const struct service *service; /* NULL = no service of the catalog */
    double quantity;     /* in `unit`, for this job */
    const char *unit;    /* N_() */
    double cny;          /* NAN = depends on what happens; the note says on what */
    bool per_month;      /* cny is a month's */
};
enum { HIDDEN_COSTS = 8 };
/* What the bill may hold besides machines: disks left behind while stopped, snapshots, object
 * storage, cross-region reads, public traffic, shared file system. Returns how many. */
int storage_hidden_costs(const struct billing_input *input,
                         struct hidden_cost costs[HIDDEN_COSTS]);

#endif
