/* advice_internal.h - what the files with the rules of advice share. */
#ifndef GPUWIZ_ADVICE_INTERNAL_H
#define GPUWIZ_ADVICE_INTERNAL_H

#include "base/i18n.h"
#include "base/units.h"
#include "engine/advice.h"

/* Fills advice->why and returns true, so that a rule can end with it. */
bool advice_why(const struct advice_input *input, struct advice *advice, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool advice_what(const struct advice_input *input, struct advice *advice, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A figure by one of the writers of units.h, in the arena; CNY with its sign. */
const char *advice_figure(const struct advice_input *input, char *(*write)(double, char *),
                          double value);
const char *advice_money(const struct advice_input *input, double amount);

/* How the offer is paid for, and what that costs; NULL when it cannot be. */
enum billing_mode advice_mode(const struct advice_input *input);
const struct cost *advice_cost(const struct advice_input *input);

#define FIGURE(write, value) advice_figure(input, units_##write, value)
#define WHY(...) advice_why(input, advice, __VA_ARGS__)
#define WHAT(...) advice_what(input, advice, __VA_ARGS__)
#define RULE(name) bool name(const struct advice_input *input, struct advice *advice)

/* advice_memory.c */
RULE(advice_no_fit);
RULE(advice_tight);
RULE(advice_copies);
RULE(advice_host_ram_short);
RULE(advice_host_ram_lean);
RULE(advice_usable_assumed);
RULE(advice_pool);
RULE(advice_cache_short);
RULE(advice_mixture);

/* advice_speed.c */
RULE(advice_no_bf16);
RULE(advice_no_flash);
RULE(advice_no_fp8);
RULE(advice_dequantised);
RULE(advice_not_measured);
RULE(advice_latency);
RULE(advice_load);
RULE(advice_few_vcpu);
RULE(advice_no_rdma);
RULE(advice_zero_across);
RULE(advice_single_card_machines);
RULE(advice_rdma_unused);
RULE(advice_tp_pcie);
RULE(advice_tp_across);
RULE(advice_check_links);
RULE(advice_check_software);
RULE(advice_watch_gpu);

/* advice_storage.c */
RULE(advice_checkpoint_disk);
RULE(advice_load_disk);
RULE(advice_disk_small);
RULE(advice_iops);
RULE(advice_check_disk);
RULE(advice_local_disk);
RULE(advice_cross_region);
RULE(advice_data_rate);

/* advice_money.c */
RULE(advice_stale_price);
RULE(advice_promotion);
RULE(advice_weak_price);
RULE(advice_no_price);
RULE(advice_mode_risk);
RULE(advice_rework);
RULE(advice_not_quoted);
RULE(advice_deadline);
RULE(advice_refused_alone);
RULE(advice_spot_plan);
RULE(advice_spot_checkpoints);
RULE(advice_spot_service);
RULE(advice_spot_old);
RULE(advice_stopped);
RULE(advice_stock);
RULE(advice_fallback);
RULE(advice_quota);
RULE(advice_not_recommended);
RULE(advice_ask_sales);
RULE(advice_bigger_for_less);
RULE(advice_better_card);
RULE(advice_serverless);
RULE(advice_managed);
RULE(advice_slice);
RULE(advice_scaling);

#endif
