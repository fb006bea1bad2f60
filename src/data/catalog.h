/* catalog.h - what can be rented and what it costs: GPUs, instance types, prices, services, weight
 * formats and model presets, read once and const from then on. Everything here is data; nothing in
 * the code names a provider. */
#ifndef GPUWIZ_CATALOG_H
#define GPUWIZ_CATALOG_H

#include <stdbool.h>
#include <stddef.h>
#include "base/arena.h"
#include "base/error.h"
#include "data/model.h"

/* GPU generations, in order of age. The engine's constants are kept per generation. */
enum gpu_arch {
    ARCH_PASCAL, ARCH_VOLTA, ARCH_TURING, ARCH_AMPERE, ARCH_ADA, ARCH_HOPPER, ARCH_BLACKWELL,
    ARCH_OTHER, ARCH_COUNT
};

struct gpu {
    const char *id, *name, *note, *source, *date;
    enum gpu_arch arch;
    double marketed_gb;     /* the label; never planned with */
    double reported_mib;    /* total that the driver reports; NAN = unknown */
    double usable_gib;      /* what a program can allocate, driver reserve taken off */
    bool usable_assumed;    /* usable_gib follows from the planning rule, not from a source */
    double bandwidth_gbs;   /* memory, 1e9 bytes per second; NAN = unknown */
    /* Tensor Core rates without sparsity (fp32: the plain rate); NAN = none or unknown */
    double fp32_tflops, tf32_tflops, fp16_tflops, bf16_tflops, fp8_tflops, fp4_tflops, int8_tops;
    double nvlink_gbs;      /* per GPU, both directions added; 0 = PCIe only or unknown */
    int pcie_gen;           /* 0 = unknown */
    bool bf16, fp8;
    double compute_capability; /* 8.0, ...; NAN = unknown */
    double tdp_w;           /* NAN = unknown */
    bool sold;              /* part of some instance type of the catalog */
};

enum link_kind { LINK_NONE, LINK_PCIE, LINK_PCIE_SWITCH, LINK_NVLINK };
enum rdma_kind { RDMA_NO, RDMA_ERDMA, RDMA_ROCE };
enum sale_status {
    STATUS_CURRENT, STATUS_LIMITED_REGIONS, STATUS_BY_TICKET, STATUS_INVITATION,
    STATUS_NOT_RECOMMENDED, STATUS_API_ONLY, STATUS_RETIRED
};

struct instance {
    const char *type, *family, *provider, *note, *source, *date;
    enum sale_status status;
    int vcpu;
    double ram_gib;
    const struct gpu *gpu;
    int gpu_count;
    double gpu_fraction;     /* of one card, 1 = whole */
    double gpu_usable_gib;   /* of one GPU or slice of it, on this type */
    enum link_kind link;     /* between the GPUs of one machine */
    double link_gbs;         /* per GPU, both directions, GB/s; 0 = unknown or one GPU */
    double network_gbps;     /* base bandwidth of the machine, Gbit/s */
    enum rdma_kind rdma;
    double rdma_gbps;        /* of the machine; 0 = no figure */
    double local_nvme_gib;
    bool bare_metal;
};

/* One quoted price of one type in one region. Amounts in the currency named, per machine. A type
 * may have one list price and one promotion in a region. */
struct price {
    const char *type, *region, *source, *date, *currency, *note; /* region "": usual list price */
    double payg_hour;     /* NAN = not quoted; the same holds for each below */
    double month, year, year2, year3, year5; /* subscription, for the whole term */
    double spot_hour;
    double savings_hour_1y, savings_hour_3y, reserved_hour_1y, reserved_hour_3y;
    double spot_released_percent; /* of spot machines, taken away in 30 days; 0, NAN = unknown */
    bool no_spot;         /* the provider does not offer it as spot there */
    bool promotion;       /* not the list price */
    bool low_confidence;  /* one unconfirmed report, or undated */
    const char *layer;    /* "built in", or the overlay file that won */
};

struct disk {
    const char *id, *name, *source, *date, *note;
    double cny_gib_month, cny_gib_hour; /* NAN = no price found */
    bool hour_assumed;     /* the price of an hour was scaled from another level's */
    double iops_base, iops_per_gib, iops_max;   /* min(base + per_gib * GiB, max) */
    double mbps_base, mbps_per_gib, mbps_max;   /* MB/s, 1e6 bytes */
    double min_gib, max_gib;
};

struct service { /* snapshots, object storage, traffic, shared file systems */
    const char *id, *name, *unit, *source, *date, *note;
    double price_cny; /* NAN = no price found */
};

struct serverless_rate { /* GPU functions billed by time in use */
    const char *series, *gpu, *source, *date, *note;
    double card_gb, active_cu_per_gb_s, idle_cu_per_gb_s;
};

struct serverless_tier { /* ascending; NAN up_to = no end */
    const char *source, *date;
    double up_to_cu, cny_per_cu;
};

struct managed_price { /* PAI-EAS and the like: same GPU, another product */
    const char *product, *gpu, *type, *source, *date, *note;
    double cny_hour;
};

/* A rule or assumption that stands in for a quoted price; every use is marked as such. */
struct billing_rule {
    const char *id, *name, *unit, *source, *date, *note;
    double value;            /* e.g. monthly = value x hourly price, or a price ratio */
    double minimum, maximum; /* what a user may set, also the span seen in sources */
    const char *basis;       /* "quoted", "derived" or "assumption" */
};

/* Parts that a format leaves in 16 bits, as bits. */
enum kept_part {
    KEPT_EMBEDDINGS = 1, KEPT_HEAD = 2, KEPT_NORMS = 4, KEPT_ROUTER = 8, KEPT_ATTENTION = 16,
    KEPT_SHARED_EXPERTS = 32, KEPT_DENSE_FFN = 64
};

struct weight_format {
    const char *id, *name, *source, *date, *note;
    double bits_per_weight;   /* of a quantised tensor, scales included */
    double bits_whole_file;   /* GGUF: whole-file average; NAN where embeddings stay 16-bit */
    bool quantised;
    bool gguf;
    unsigned kept_16bit;      /* bits of enum kept_part */
    bool experts_only;        /* only the routed experts are quantised (MXFP4, Kimi) */
    double group;             /* weights per scale; 0 = none: tp must leave whole groups */
    double compute_bits;      /* 4, 8, 16: which peak rate applies; 16 = dequantised first */
};

struct alias { /* names that articles use and nobody sells, whatever the capitals */
    const char *name, *note, *source, *date;
    const char *answer; /* space-separated ids of real types, families or GPUs; "" = none is near */
};

struct region {
    const char *id, *name, *provider, *source, *date;
    bool mainland; /* inside the provider's home market, where the list price "" holds */
};

struct catalog {
    struct arena *arena;
    const char *date;            /* newest compilation date of the files */
    const char *price_date;      /* newest price date */
    const struct gpu *gpus;                 size_t gpu_count;
    const struct instance *instances;       size_t instance_count;
    const struct price *prices;             size_t price_count;  /* sorted by type, then region */
    const struct disk *disks;               size_t disk_count;
    const struct service *services;         size_t service_count;
    const struct serverless_rate *serverless; size_t serverless_count;
    const struct serverless_tier *serverless_tiers; size_t serverless_tier_count;
    const struct managed_price *managed;    size_t managed_count;
    const struct billing_rule *rules;       size_t rule_count;
    const struct weight_format *formats;    size_t format_count;
    const struct model *models;             size_t model_count;
    const struct alias *aliases;            size_t alias_count;
    const struct region *regions;           size_t region_count;
};

/* Loads all data files: from `folder` when given, else by the look-up order of gpuwiz-data(5), the
 * copy inside the program last; the user's overlays win row by row. The catalog owns its arena.
 * False with file:line:column on the first thing wrong; nothing is half loaded. */
bool catalog_load(const char *folder, struct catalog *catalog, struct error *error);
void catalog_clear(struct catalog *catalog);

/* How `gpuwiz check` recognises and validates a file of the catalog (data/data_files.h): it is read
 * as one more layer on top of all others, so that its references are checked too. */
struct data_kind;
extern const struct data_kind catalog_kind;

/* Exact look-ups by id; NULL when unknown. */
const struct gpu *catalog_gpu(const struct catalog *catalog, const char *id);
const struct instance *catalog_instance(const struct catalog *catalog, const char *type);
const struct model *catalog_model(const struct catalog *catalog, const char *id);
const struct weight_format *catalog_format(const struct catalog *catalog, const char *id);
const struct disk *catalog_disk(const struct catalog *catalog, const char *id);
const struct service *catalog_service(const struct catalog *catalog, const char *id);
const struct billing_rule *catalog_rule(const struct catalog *catalog, const char *id);
const struct region *catalog_region(const struct catalog *catalog, const char *id);
const struct alias *catalog_alias(const struct catalog *catalog, const char *name);

/* The price of a type in a region, never a promotion; "" = the usual list price. NULL when the
 * region has none: prices are never guessed. */
const struct price *catalog_price(const struct catalog *catalog, const char *type,
                                  const char *region);

/* Fills `error` for an unknown id: the alias answer when there is one, else the nearest ids. `what`
 * is gpu, instance, model, weights, disk, service, region or rule. Returns false. */
bool catalog_unknown(const struct catalog *catalog, const char *what, const char *id,
                     struct error *error);

/* Appends the `source` of a record in the language of the moment. Each of the sources in it is
 * looked up by itself; one of a user's own data stays as it was written. */
struct strbuf;
void catalog_source_words(const char *source, struct strbuf *out);

/* Days from `date` (YYYY-MM-DD; a shorter date means its first day) to `today`; NAN when unreadable. */
double catalog_age_days(const char *date, const char *today);

extern const char *const gpu_arch_names[];    /* by enum gpu_arch, NULL-terminated; data spelling */
extern const char *const link_kind_names[];
extern const char *const rdma_kind_names[];
extern const char *const sale_status_names[];
extern const char *const link_kind_labels[];  /* N_(): the same, for people */
extern const char *const rdma_kind_labels[];
extern const char *const sale_status_labels[];
extern const char *const kept_part_names[];   /* by bit of enum kept_part */

#endif
