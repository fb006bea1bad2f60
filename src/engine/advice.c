/* advice.c - the one list of rules; what each looks at stands in the advice_*.c files beside. */
#include "engine/advice_internal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const advice_weight_names[ADVICE_WEIGHTS] = {"stop", "warn", "note"};

/* Weight first, then the order of a sizing: memory, host, cards, network, storage, money. */
const struct advice_rule advice_rules[] = {
    {"no-fit", ADVICE_STOP, advice_no_fit,
     N_("Take the first remedy: smaller stored weights, a shorter length, more splitting, or a "
        "larger card.")},
    {"host-ram-short", ADVICE_STOP, advice_host_ram_short,
     N_("Take a size of the family with more host memory, or offload less; swap only delays the "
        "end.")},
    {"deadline-missed", ADVICE_STOP, advice_deadline,
     N_("Pay by the hour for the last part, or add machines.")},
    {"refused-alone", ADVICE_STOP, advice_refused_alone,
     N_("Keep a pay-as-you-go machine in reserve and give spot only what may wait.")},

    {"load-missed", ADVICE_STOP, advice_load,
     N_("Take more replicas, a faster card or weights of fewer bits; shorter prompts and answers "
        "are carried sooner.")},
    {"memory-tight", ADVICE_WARN, advice_tight,
     N_("Try the longest sample first; shorten it, recompute, or fuse the loss if it runs out.")},
    {"copies", ADVICE_WARN, advice_copies,
     N_("More cards do not shrink a copy. Split it: a higher ZeRO stage for what is trained, "
        "tensor or pipeline "
        "parallelism for frozen and quantised weights.")},
    {"host-ram-lean", ADVICE_WARN, advice_host_ram_lean,
     N_("Load safetensors shard by shard (low_cpu_mem_usage), one process after the other; "
        "careless loaders want "
        "two to four times the file.")},
    {"cache-short", ADVICE_WARN, advice_cache_short,
     N_("Lower the context, store the cache in fp8, or split over more cards; the rest will "
        "queue.")},
    {"no-bf16", ADVICE_WARN, advice_no_bf16,
     N_("Use fp16 and, in training, loss scaling; a model trained in bf16 can overflow there. A10 "
        "and newer have bf16.")},
    {"no-flash-attention", ADVICE_WARN, advice_no_flash,
     N_("Keep lengths short or use a memory-efficient kernel (SDPA, xFormers); FlashAttention-2 "
        "needs compute "
        "capability 8.0.")},
    {"no-fp8", ADVICE_WARN, advice_no_fp8,
     N_("Expect the memory saving without the speed, and check that the engine has such kernels; "
        "L20, H20 and newer "
        "compute in fp8.")},
    {"few-vcpu", ADVICE_WARN, advice_few_vcpu,
     N_("Prepare and tokenise the data beforehand, or take a size with more vCPUs; watch for a GPU "
        "that waits.")},
    {"no-rdma", ADVICE_WARN, advice_no_rdma,
     N_("Stay in one machine if any holds the job; else take a type with RDMA. Network ability "
        "belongs to the "
        "instance type, not to the GPU.")},
    {"zero-across-machines", ADVICE_WARN, advice_zero_across,
     N_("Gather inside the machine only (hierarchical sharding: hpZ of ZeRO++, HSDP), or ZeRO-2. A "
        "LoRA job that fits "
        "one card wants plain data parallelism, ZeRO-0.")},
    {"single-card-machines", ADVICE_WARN, advice_single_card_machines,
     N_("Two machines with one card are not a machine with two: prefer the multi-card size of the "
        "family.")},
    {"tp-over-pcie", ADVICE_WARN, advice_tp_pcie,
     N_("Use the smallest tensor-parallel size that fits, or replicas; NVLink machines do it "
        "faster.")},
    {"tp-across-machines", ADVICE_WARN, advice_tp_across,
     N_("Keep tensor parallelism inside a machine and put pipeline stages between machines.")},
    {"latency-missed", ADVICE_WARN, advice_latency,
     N_("Fewer sequences at a time, more replicas, or a faster card.")},
    {"slow-checkpoints", ADVICE_WARN, advice_checkpoint_disk,
     N_("Write asynchronously, keep fewer copies, or take a larger or faster disk: throughput is "
        "bought by size.")},
    {"disk-small", ADVICE_WARN, advice_disk_small,
     N_("Make it larger, or prune checkpoints while the run goes on.")},
    {"local-disk", ADVICE_WARN, advice_local_disk,
     N_("Use it as a cache only, and copy every checkpoint to a cloud disk or object storage.")},
    {"cross-region-data", ADVICE_WARN, advice_cross_region,
     N_("Copy the data once into the machine's region: reads inside a region are free.")},
    {"stale-price", ADVICE_WARN, advice_stale_price, N_("Look it up before you decide.")},
    {"weak-price", ADVICE_WARN, advice_weak_price, N_("Ask for a quote.")},
    {"no-price", ADVICE_WARN, advice_no_price, N_("Ask the provider's sales.")},
    {"payment-risk", ADVICE_WARN, advice_mode_risk, ""},
    {"rework", ADVICE_WARN, advice_rework, ""},
    {"not-quoted", ADVICE_WARN, advice_not_quoted,
     N_("Take its band for the answer, not the middle.")},
    {"spot-plan", ADVICE_WARN, advice_spot_plan,
     N_("Write checkpoints to storage that outlives the machine, listen for the interruption event "
        "(some minutes' notice), and "
        "restart by itself: try all three once before the long run.")},
    {"spot-checkpoints", ADVICE_WARN, advice_spot_checkpoints, ""},
    {"spot-service", ADVICE_WARN, advice_spot_service,
     N_("Keep a base on demand behind the load balancer, drain on the interruption event, and "
        "spread over types.")},
    {"spot-old-family", ADVICE_WARN, advice_spot_old,
     N_("Spot is spare on-demand capacity: a family that is being retired has little of either. "
        "Name newer families too.")},
    {"stopped-not-free", ADVICE_WARN, advice_stopped,
     N_("Delete or shrink what is not needed; keep images in object storage; expect that a start "
        "may fail for lack of "
        "stock. Types with local disks and subscriptions cannot be stopped this way.")},
    {"stock", ADVICE_WARN, advice_stock,
     N_("Check availability on the day; a price row is no promise of stock.")},
    {"quota", ADVICE_WARN, advice_quota,
     N_("Look at the vCPU quota of GPU families now: raising it takes working days, and new "
        "accounts start low.")},
    {"not-recommended", ADVICE_WARN, advice_not_recommended,
     N_("Newer families have better stock, drivers and prices: take it only for software that "
        "needs it.")},
    {"ask-sales", ADVICE_WARN, advice_ask_sales,
     N_("Ask for access and stock in your region before you plan with it.")},

    {"bigger-for-less", ADVICE_NOTE, advice_bigger_for_less, N_("Take the bigger one.")},
    {"better-card-for-less", ADVICE_NOTE, advice_better_card,
     N_("Compare before renting: price does not follow age.")},
    {"fallback", ADVICE_NOTE, advice_fallback,
     N_("Name it, and a second zone, in the node pool or start script.")},
    {"serverless-wins", ADVICE_NOTE, advice_serverless,
     N_("Consider GPU functions; measure the cold start, which loads the model again.")},
    {"managed-wins", ADVICE_NOTE, advice_managed,
     N_("A managed platform (training jobs, model services) brings image, scheduling and scaling "
        "along: compare.")},
    {"slice-enough", ADVICE_NOTE, advice_slice, N_("A slice of a card (vGPU) would do for this.")},
    {"scale-with-load", ADVICE_NOTE, advice_scaling,
     N_("Commit the base and scale the rest by queue length; scaling by GPU use misleads, since "
        "vLLM is busy with one "
        "request too.")},
    {"promotion", ADVICE_NOTE, advice_promotion,
     N_("Ask whether it still holds, and what it costs when it ends.")},
    {"pool-not-need", ADVICE_NOTE, advice_pool,
     N_("The rest becomes cache. To share the card, lower memory_utilization.")},
    {"mixture", ADVICE_NOTE, advice_mixture, ""},
    {"dequantised", ADVICE_NOTE, advice_dequantised,
     N_("Quantise to fit, not to go faster: if the 16-bit weights fit, LoRA on them is quicker.")},
    {"not-measured", ADVICE_NOTE, advice_not_measured,
     N_("Run ten steps first, then `gpuwiz calibrate`.")},
    {"usable-assumed", ADVICE_NOTE, advice_usable_assumed, ""},
    {"slow-load", ADVICE_NOTE, advice_load_disk,
     N_("Read files in order rather than memory-mapped from a network disk, stage them on a fast "
        "local disk, and keep "
        "machines warm between runs.")},
    {"iops-by-size", ADVICE_NOTE, advice_iops,
     N_("Large files want throughput, not IOPS; pack small files (WebDataset, Arrow) instead of "
        "buying IOPS.")},
    {"data-rate", ADVICE_NOTE, advice_data_rate,
     N_("A plain cloud disk is enough for reading; size the disk for checkpoints.")},
    {"rdma-unused", ADVICE_NOTE, advice_rdma_unused,
     N_("Ask for the RDMA interface when creating the machines, same VPC and zone; run nccl-tests "
        "(all_reduce_perf) and "
        "NCCL_DEBUG=INFO: it must say NET/IB, not NET/Socket.")},
    {"check-links", ADVICE_NOTE, advice_check_links, ""},
    {"check-disk", ADVICE_NOTE, advice_check_disk,
     N_("fio --name=t --filename=/data/t --size=8G --bs=1M --rw=write --direct=1 --iodepth=32 "
        "--ioengine=libaio (dd from "
        "/dev/zero tests less than you think).")},
    {"check-software", ADVICE_NOTE, advice_check_software,
     N_("Choose an image with driver and framework in it, then: nvidia-smi; python -c \"import "
        "torch; "
        "print(torch.version.cuda, torch.cuda.get_device_capability(), "
        "torch.cuda.is_bf16_supported())\"")},
    {"watch-gpu", ADVICE_NOTE, advice_watch_gpu,
     /* xgettext:no-c-format */
     N_("100 % in nvidia-smi does not prove useful work: compare tokens/s with this figure.")},
};
const int advice_rule_count = (int)(sizeof advice_rules / sizeof *advice_rules);

const struct advice_rule *advice_rule_find(const char *id)
{
    for (int i = 0; i < advice_rule_count; i++)
        if (strcmp(advice_rules[i].id, id) == 0)
            return &advice_rules[i];
    return NULL;
}

int advice_collect(const struct advice_input *input, struct advice found[ADVICE_MAX])
{
    int count = 0;
    for (int i = 0; i < advice_rule_count && count < ADVICE_MAX; i++) {
        struct advice advice = {.rule = &advice_rules[i], .why = ""};
        advice.what = *advice_rules[i].what ? tr(advice_rules[i].what) : "";
        if (advice_rules[i].triggered(input, &advice))
            found[count++] = advice;
    }
    return count;
}

/* ---- what the rules share ------------------------------------------------------------------- */

static const char *__attribute__((format(printf, 2, 0)))
write_text(const struct advice_input *input, const char *format, va_list arguments)
{
    char text[800];
    vsnprintf(text, sizeof text, format, arguments);
    return arena_strdup(input->arena, text);
}

bool advice_why(const struct advice_input *input, struct advice *advice, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    advice->why = write_text(input, format, arguments);
    va_end(arguments);
    return true;
}

bool advice_what(const struct advice_input *input, struct advice *advice, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    advice->what = write_text(input, format, arguments);
    va_end(arguments);
    return true;
}

const char *advice_figure(const struct advice_input *input, char *(*write)(double, char *),
                          double value)
{
    char text[UNITS_TEXT];
    return arena_strdup(input->arena, write(value, text));
}

const char *advice_money(const struct advice_input *input, double amount)
{
    const struct price *price = input->offer->price;
    const char *currency = price && price->currency ? price->currency : "CNY";
    bool yen = strcmp(currency, "CNY") == 0 && !input->ascii;
    return arena_printf(input->arena, "%s%s%s", yen ? "¥" : currency, yen ? "" : " ",
                        FIGURE(cny, amount));
}

enum billing_mode advice_mode(const struct advice_input *input)
{
    return input->mode == MODE_COUNT ? input->offer->cheapest : input->mode;
}

const struct cost *advice_cost(const struct advice_input *input)
{
    enum billing_mode mode = advice_mode(input);
    if (mode == MODE_COUNT || !input->offer->costs || !input->offer->costs[mode].available)
        return NULL;
    return &input->offer->costs[mode];
}
