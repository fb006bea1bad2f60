#include "engine/constants.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/embedded.h"
#include "data/yaml.h"

const char *const constant_group_names[GROUP_COUNT] = {"stack", "engine", "arch", "global"};
static const char *const group_choices[] = {"stack", "engine", "arch", "global", NULL};

#define STACK(member, unit, minimum, maximum, help) \
    {GROUP_STACK, #member, unit, offsetof(struct stack_constants, member), false, minimum, maximum, help}
#define STACK_FLAG(member, help) \
    {GROUP_STACK, #member, "yes/no", offsetof(struct stack_constants, member), true, 0, 1, help}
#define GLOBAL(member, unit, minimum, maximum, help) \
    {GROUP_GLOBAL, #member, unit, offsetof(struct constants, global.member), false, minimum, maximum, help}
#define ENGINE(member, unit, minimum, maximum, help) \
    {GROUP_ENGINE, #member, unit, offsetof(struct engine_constants, member), false, minimum, maximum, help}
#define ARCH(member, unit, minimum, maximum, help) \
    {GROUP_ARCH, #member, unit, offsetof(struct arch_constants, member), false, minimum, maximum, help}
#define SERVING(member, unit, minimum, maximum, help) \
    {GROUP_GLOBAL, "serving_" #member, unit, offsetof(struct constants, serving.member), false, minimum, maximum, help}
#define ARCH_FLAG(member, help) \
    {GROUP_ARCH, #member, "yes/no", offsetof(struct arch_constants, member), true, 0, 1, help}

/* Columns: member (also the key in engine.yaml), unit, smallest and largest value, meaning. */
const struct constant_info constant_table[] = {
    /* training memory */
    STACK(slack, "share", 0, 0.6, "allocator slack over what is allocated besides model states"),
    STACK(context_gib, "GiB", 0, 4, "CUDA context and first communicator of one GPU"),
    STACK(logit_bytes, "bytes", 0, 24, "per token and vocabulary entry without a fused loss"),
    STACK(fused_logit_bytes, "bytes", 0, 4, "per token and vocabulary entry with a fused loss"),
    STACK(length_exponent, "exponent", 0, 0.6, "how much less than a long cap real samples grow"),
    STACK(norm_bytes, "bytes", 0, 16, "extra per token, layer and hidden element (fp32 norms)"),
    STACK(adapter_input_bytes, "bytes", 0, 5, "per token and input element of an adapted layer"),
    STACK(dequant_saved_bytes, "bytes", 0, 4, "per token and element, kept for quantised layers"),
    STACK(dequant_copies, "copies", 0, 4, "of a head-sized 16-bit matrix while dequantising"),
    STACK(backward_share, "share", 0, 4, "of a layer's activations, live while it is recomputed"),
    STACK(selective_share, "share", 0, 1, "of the activations, kept under selective recomputation"),
    STACK(compile_share, "share", 0.5, 1, "of the activations, left by torch.compile"),
    STACK(gradient_bytes, "bytes", 2, 4, "of a gradient in mixed precision"),
    STACK(foreach_share, "share", 0, 1.5, "of the 16-bit weights, copied at the optimizer step"),
    STACK(live_units, "layers", 1, 4, "gathered at a time under ZeRO-3 or FSDP"),
    STACK(root_copies, "copies", 0, 6, "of embedding and head gathered with them"),
    STACK(bucket_gib, "GiB", 0, 10, "communication buckets in the backward pass"),
    STACK(step_gib, "GiB", 0, 16, "buckets and fp32 copies at the optimizer step"),
    STACK_FLAG(shards_quantised, "ZeRO-3 or FSDP splits quantised weights too"),
    STACK(band_low, "share", 0, 1, "band below what is needed besides model states"),
    STACK(band_high, "share", 0, 2, "band above what is needed besides model states"),
    STACK_FLAG(memory_measured, "fitted to measurements of this stack"),
    GLOBAL(communicator_gib, "GiB", 0, 2, "each further group of communicating GPUs"),
    /* training speed */
    STACK(overlap, "share", 0, 1, "data-parallel traffic hidden behind compute"),
    STACK(tp_overlap, "share", 0, 1, "tensor-parallel traffic hidden behind compute"),
    STACK(host_s_per_layer, "s", 0, 0.1, "Python and launch floor of one layer, forward + backward"),
    STACK(attention_hopper, "share", 0.01, 1, "attention efficiency on Hopper and newer"),
    STACK(attention_ampere, "share", 0.01, 1, "attention efficiency before Hopper"),
    STACK(elementwise_bytes, "bytes", 10, 3000, "traffic per token, layer and unit of width"),
    STACK(fp8_bytes, "bytes", 0, 1000, "traffic added by unfused fp8 casts"),
    STACK(adapter_bytes, "bytes", 0, 3000, "traffic added by LoRA adapters under mixed precision"),
    STACK(host_s_per_expert, "s", 0, 0.1, "launch floor of one expert looped over in Python"),
    STACK(selective_gemm, "share", 0, 1, "matrix products repeated by selective recomputation"),
    STACK(zero3, "share", 0.01, 1, "achieved share of link or network in ZeRO-3"),
    STACK(reduce_bytes, "bytes", 1, 4, "of a gradient element in ZeRO-2 and 3 reductions"),
    STACK(optimizer_s, "s/1e9", 0, 5, "fixed cost of an optimizer step, per billion parameters"),
    STACK(tcp_slowdown, "ratio", 1, 5, "step time between machines joined by TCP"),
    STACK_FLAG(measured_ampere, "measured on Ampere and older cards"),
    STACK_FLAG(measured_hopper, "measured on Hopper cards"),
    STACK(speed_band, "share", 0, 3, "half width of the band around a measured speed"),
    GLOBAL(half_tokens, "tokens", 0, 5000, "micro-batch at half the matrix rate"),
    GLOBAL(fp8_gemm, "share", 0.1, 1, "fp8 matrix efficiency relative to 16-bit"),
    GLOBAL(ga10x_tflops_per_watt, "TFLOPS/W", 0.05, 5, "power limit of GA10x boards"),
    GLOBAL(achieved_bandwidth, "share", 0.1, 1, "memory bandwidth in elementwise kernels"),
    GLOBAL(logit_traffic, "bytes", 0, 200, "moved per logit by the unfused loss"),
    GLOBAL(eager_attention, "share", 0.01, 1, "peak share of attention products without flash"),
    GLOBAL(score_traffic, "bytes", 0, 400, "moved per attention score without flash"),
    GLOBAL(compiled_share, "share", 0.1, 1, "elementwise traffic left under torch.compile"),
    GLOBAL(moe_gemm, "share", 0.05, 1, "grouped expert products relative to dense ones"),
    GLOBAL(moe_bytes, "bytes", 0, 3000, "traffic per routed token and hidden element"),
    GLOBAL(dequant_int4, "bytes", 0, 200, "per GPTQ or AWQ weight and pass"),
    GLOBAL(dequant_nf4, "bytes", 0, 200, "per bitsandbytes weight and pass"),
    GLOBAL(optimizer_bytes, "bytes", 1, 200, "AdamW traffic per parameter"),
    GLOBAL(nvlink, "share", 0.05, 1, "achieved share of NVLink"),
    GLOBAL(pcie, "share", 0.05, 1, "achieved share of PCIe through the host"),
    GLOBAL(pcie_switch, "share", 0.05, 1, "achieved share of PCIe under one switch"),
    GLOBAL(rdma, "share", 0.05, 1, "achieved share of an RDMA network"),
    GLOBAL(tcp, "share", 0.05, 1, "achieved share of a TCP network"),
    GLOBAL(collective_s, "s", 0, 0.001, "latency of a collective, per rank"),
    GLOBAL(straggler, "share", 0, 0.1, "step time added per doubling of the machines"),
    GLOBAL(cpu_adam_s, "s/1e9", 0, 100, "optimizer step on the host, per billion parameters"),
    GLOBAL(unmeasured_band, "share", 0, 3, "widens the band of unmeasured cards and stacks"),
    /* serving */
    ENGINE(step_s, "s", 0, 1, "fixed part of a decode step"),
    ENGINE(layer_s, "s", 0, 0.1, "part of a decode step per layer"),
    ENGINE(moe_layer_s, "s", 0, 0.1, "what routing adds per layer with experts"),
    ENGINE(bandwidth, "share", 0.01, 1, "achieved share of memory bandwidth, reading weights"),
    ENGINE(kv_bandwidth, "share", 0.01, 1, "achieved share of memory bandwidth, reading the cache"),
    ENGINE(sm_bytes, "bytes", 1, 100, "taken in by one multiprocessor per clock, reading weights"),
    SERVING(gemm, "share", 0.1, 1, "of the dense peak, prefill GEMMs without their memory traffic"),
    SERVING(flop_bytes, "bytes", 0, 0.01, "memory traffic that comes with each FLOP of prefill"),
    SERVING(batch_gemm, "share", 0.1, 1, "of prefill's rate, the GEMMs of a decode batch"),
    SERVING(low_power, "share", 0.1, 1, "of the peak, cards below 300 W"),
    SERVING(int4, "share", 0.1, 1, "of the bandwidth share, 4-bit kernels"),
    SERVING(int4_old, "share", 0.1, 1, "of the bandwidth share, 4-bit kernels before Ampere"),
    SERVING(nf4_passes, "passes", 0, 10, "over a 16-bit copy to dequantise NF4"),
    SERVING(kv_copies, "passes", 1, 10, "over the repeated heads' cache in transformers' attention"),
    SERVING(nvlink, "share", 0.1, 1, "of one direction of NVLink, all-reduce"),
    SERVING(nvlink_latency_s, "s", 0, 0.001, "of one all-reduce over NVLink"),
    SERVING(pcie_latency_s, "s", 0, 0.001, "of one all-reduce over PCIe"),
    SERVING(network_latency_s, "s", 0, 0.01, "of one all-reduce between machines"),
    SERVING(pcie_gbs, "GB/s", 1, 64, "all-reduce over PCIe 4.0 x16"),
    SERVING(burst, "share", 0, 1, "of the other requests' prefill that a request waits for"),
    SERVING(queue, "share", 0, 1, "of a generation that a request without room waits for"),
    SERVING(sampler_bytes, "bytes", 0, 100, "vLLM, per sequence slot and vocabulary entry"),
    SERVING(memory_band, "share", 0, 0.5, "half width of the band around the memory need"),
    SERVING(band, "share", 0, 1, "half width of the speed band, one user"),
    SERVING(batch_band, "share", 0, 1, "half width of the speed band, batches"),
    SERVING(estimate_band, "share", 0, 1, "half width of the speed band, cards not measured"),
    /* hardware */
    ARCH(gemm, "share", 0.01, 1, "achieved share of the dense peak, large matrices"),
    ARCH_FLAG(measured, "gemm was measured on this generation, not assumed"),
    ARCH(tflops_per_watt, "TFLOPS/W", 0.01, 20, "16-bit products the power limit sustains"),
    {0},
};

int constant_members(enum constant_group group)
{
    static const int members[GROUP_COUNT] = {STACK_COUNT, ENGINE_COUNT, ARCH_COUNT, 1};
    return members[group];
}

const char *constant_member_name(enum constant_group group, int member)
{
    switch (group) {
    case GROUP_STACK: return stack_names[member];
    case GROUP_ENGINE: return engine_names[member];
    case GROUP_ARCH: return gpu_arch_names[member];
    default: return "value";
    }
}

/* Where a constant stands in `constants`, as an offset from its start. */
static size_t place(const struct constant_info *info, int member)
{
    size_t index = (size_t)member;
    switch (info->group) {
    case GROUP_STACK:
        return offsetof(struct constants, stack) + index * sizeof(struct stack_constants) + info->offset;
    case GROUP_ENGINE:
        return offsetof(struct constants, engine) + index * sizeof(struct engine_constants) + info->offset;
    case GROUP_ARCH:
        return offsetof(struct constants, arch) + index * sizeof(struct arch_constants) + info->offset;
    default:
        return info->offset;
    }
}

double constant_get(const struct constants *constants, const struct constant_info *info, int member)
{
    const char *at = (const char *)constants + place(info, member);
    bool flag;
    double value;
    if (info->is_bool) {
        memcpy(&flag, at, sizeof flag);
        return flag ? 1 : 0;
    }
    memcpy(&value, at, sizeof value);
    return value;
}

void constant_set(struct constants *constants, const struct constant_info *info, int member,
                  double value)
{
    char *at = (char *)constants + place(info, member);
    bool flag = value != 0;
    if (info->is_bool)
        memcpy(at, &flag, sizeof flag);
    else
        memcpy(at, &value, sizeof value);
}

static const struct constant_info *find(enum constant_group group, const char *key)
{
    for (const struct constant_info *info = constant_table; info->key; info++)
        if (info->group == group && !strcmp(info->key, key))
            return info;
    return NULL;
}

static int find_member(enum constant_group group, const char *name)
{
    for (int i = 0; i < constant_members(group); i++)
        if (!strcmp(constant_member_name(group, i), name))
            return i;
    return -1;
}

/* What is being read, and where to. */
struct reader {
    const struct yaml_document *document;
    struct constants *constants;
    struct constant_fitted *fitted; /* NULL = not wanted */
    size_t *fitted_count;
    unsigned long *seen;            /* by row of constant_table: bits of the members given */
    struct error *error;
};

/* One record of engine.yaml: a constant with its value for each member of the group. */
struct record {
    int group;
    const char *key, *unit, *source;
    const struct yaml_node *values, *fitted;
};

static const struct yaml_field record_fields[] = {
    {"group", YAML_FIELD_CHOICE, offsetof(struct record, group), true, 0, 0, group_choices},
    {"key", YAML_FIELD_TEXT, offsetof(struct record, key), true, 0, 0, NULL},
    {"unit", YAML_FIELD_TEXT, offsetof(struct record, unit), false, 0, 0, NULL},
    {"source", YAML_FIELD_TEXT, offsetof(struct record, source), false, 0, 0, NULL},
    {"values", YAML_FIELD_NODE, offsetof(struct record, values), true, 0, 0, NULL},
    {"fitted", YAML_FIELD_NODE, offsetof(struct record, fitted), false, 0, 0, NULL},
    {0},
};

static bool read_value(struct reader *reader, const struct constant_info *info, int member,
                       const struct yaml_node *node)
{
    double value;
    bool flag;
    if (info->is_bool) {
        if (!yaml_bool(reader->document, node, &flag, reader->error))
            return false;
        value = flag;
    } else if (!yaml_number(reader->document, node, &value, reader->error)) {
        return false;
    }
    if (!(value >= info->minimum && value <= info->maximum))
        return yaml_error(reader->document, node, false, reader->error,
                          "%s of %s lies outside %g to %g", info->key,
                          constant_member_name(info->group, member), info->minimum, info->maximum);
    constant_set(reader->constants, info, member, value);
    if (reader->seen)
        reader->seen[info - constant_table] |= 1ul << member;
    return true;
}

/* Each child's key names a member: {hf: 0.06, deepspeed: 0.08}; a global has one: {value: 3}. */
static bool read_values(struct reader *reader, const struct constant_info *info,
                        const struct yaml_node *values)
{
    if (values->kind != YAML_MAP)
        return yaml_error(reader->document, values, false, reader->error,
                          "expected a map of names of %s and values",
                          constant_group_names[info->group]);
    for (const struct yaml_node *node = values->first; node; node = node->next) {
        int member = find_member(info->group, node->key);
        if (member < 0)
            return yaml_error(reader->document, node, true, reader->error, "unknown %s \"%s\"",
                              constant_group_names[info->group], node->key);
        if (!read_value(reader, info, member, node))
            return false;
    }
    return true;
}

static bool read_fitted(struct reader *reader, const struct constant_info *info,
                        const struct yaml_node *list)
{
    for (const struct yaml_node *node = list ? list->first : NULL; node; node = node->next) {
        int member = find_member(info->group, node->text);
        if (member < 0)
            return yaml_error(reader->document, node, false, reader->error, "unknown %s \"%s\"",
                              constant_group_names[info->group], node->text);
        if (reader->fitted && *reader->fitted_count < CONSTANT_FITTED_MAX)
            reader->fitted[(*reader->fitted_count)++] = (struct constant_fitted){info, member};
    }
    return true;
}

static bool read_record(struct reader *reader, const struct yaml_node *node)
{
    struct record record = {.unit = NULL, .source = ""};
    if (!yaml_record(reader->document, node, record_fields, &record, reader->error))
        return false;
    const struct constant_info *info = find((enum constant_group)record.group, record.key);
    if (!info)
        return yaml_error(reader->document, yaml_get(node, "key"), false, reader->error,
                          "unknown constant \"%s\" of group %s", record.key,
                          constant_group_names[record.group]);
    if (record.unit && strcmp(record.unit, info->unit))
        return yaml_error(reader->document, yaml_get(node, "unit"), false, reader->error,
                          "%s is measured in %s", info->key, info->unit);
    return read_values(reader, info, record.values) && read_fitted(reader, info, record.fitted);
}

/* A missing constant would silently be 0. */
static bool check_complete(struct reader *reader)
{
    for (const struct constant_info *info = constant_table; info->key; info++)
        for (int i = 0; i < constant_members(info->group); i++)
            if (!(reader->seen[info - constant_table] >> i & 1))
                return yaml_error(reader->document, reader->document->root, false, reader->error,
                                  "the constant %s has no value for %s %s", info->key,
                                  constant_group_names[info->group],
                                  constant_member_name(info->group, i));
    return true;
}

static bool read_list(struct reader *reader, const struct yaml_node *list)
{
    for (const struct yaml_node *node = list ? list->first : NULL; node; node = node->next)
        if (!read_record(reader, node))
            return false;
    return true;
}

struct file_keys { const char *date; const struct yaml_node *constants, *calibrations; };

static const struct yaml_field file_fields[] = {
    {"date", YAML_FIELD_TEXT, offsetof(struct file_keys, date), false, 0, 0, NULL},
    {"constants", YAML_FIELD_NODE, offsetof(struct file_keys, constants), false, 0, 0, NULL},
    {"calibrations", YAML_FIELD_NODE, offsetof(struct file_keys, calibrations), false, 0, 0, NULL},
    {0},
};

bool constants_read(const char *file, const char *text, size_t length, struct arena *arena,
                    struct constants *constants, struct constant_fitted *fitted,
                    size_t *fitted_count, struct error *error)
{
    struct yaml_document document;
    struct file_keys keys = {0};
    unsigned long seen[sizeof constant_table / sizeof *constant_table] = {0};
    *constants = (struct constants){0};
    if (fitted_count)
        *fitted_count = 0;
    if (!yaml_parse(arena, file, text, length, 0, &document, error)
        || !yaml_record(&document, document.root, file_fields, &keys, error))
        return false;
    struct reader reader = {&document, constants, fitted, fitted_count, seen, error};
    return read_list(&reader, keys.constants) && check_complete(&reader);
}

static const struct yaml_field calibration_fields[] = {
    {"stack", YAML_FIELD_TEXT, offsetof(struct calibration, stack), true, 0, 0, NULL},
    {"gpu", YAML_FIELD_TEXT, offsetof(struct calibration, gpu), true, 0, 0, NULL},
    {"date", YAML_FIELD_TEXT, offsetof(struct calibration, date), true, 0, 0, NULL},
    {"memory_ratio", YAML_FIELD_NUMBER, offsetof(struct calibration, memory_ratio), false, 0.1, 10, NULL},
    {"speed_ratio", YAML_FIELD_NUMBER, offsetof(struct calibration, speed_ratio), false, 0.1, 10, NULL},
    {0},
};

bool constants_overlay(const char *file, const char *text, size_t length, struct arena *arena,
                       struct constants *constants, struct error *error)
{
    struct yaml_document document;
    struct file_keys keys = {0};
    if (!yaml_parse(arena, file, text, length, 0, &document, error)
        || !yaml_record(&document, document.root, file_fields, &keys, error))
        return false;
    struct constants changed = *constants;
    struct reader reader = {&document, &changed, NULL, NULL, NULL, error};
    if (!read_list(&reader, keys.constants))
        return false;
    size_t count = keys.calibrations ? (size_t)keys.calibrations->count : 0;
    struct calibration *rows = ARENA_ARRAY(arena, struct calibration, count + 1);
    size_t filled = 0;
    for (const struct yaml_node *node = count ? keys.calibrations->first : NULL; node; node = node->next) {
        rows[filled] = (struct calibration){.memory_ratio = 1, .speed_ratio = 1};
        if (!yaml_record(&document, node, calibration_fields, &rows[filled++], error))
            return false;
    }
    changed.calibrations = rows;
    changed.calibration_count = filled;
    *constants = changed;
    return true;
}

const char *constants_overlay_path(struct arena *arena)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    if (config && config[0] == '/')
        return arena_printf(arena, "%s/gpuwiz/calibration.yaml", config);
    return home && home[0] ? arena_printf(arena, "%s/.config/gpuwiz/calibration.yaml", home) : NULL;
}

static bool load_overlay(struct arena *arena, struct constants *constants, struct error *error)
{
    const char *path = constants_overlay_path(arena);
    FILE *file = path ? fopen(path, "rb") : NULL;
    if (!file)
        return true; /* having none is the usual case */
    char *text = arena_alloc(arena, YAML_MAX_BYTES + 1, 1);
    size_t length = fread(text, 1, YAML_MAX_BYTES + 1, file);
    fclose(file);
    return constants_overlay(path, text, length, arena, constants, error);
}

static const struct embedded_file *embedded(const char *name)
{
    for (const struct embedded_file *file = embedded_files; file->name; file++)
        if (!strcmp(file->name, name))
            return file;
    return NULL;
}

bool constants_load(const char *folder, struct arena *arena, struct constants *constants,
                    struct error *error)
{
    const char *name = "engine.yaml", *text = NULL;
    size_t length = 0;
    if (folder) {
        name = arena_printf(arena, "%s/engine.yaml", folder);
        FILE *file = fopen(name, "rb");
        if (!file)
            return error_set(error, "cannot read %s", name);
        char *bytes = arena_alloc(arena, YAML_MAX_BYTES + 1, 1);
        length = fread(bytes, 1, YAML_MAX_BYTES + 1, file);
        fclose(file);
        text = bytes;
    } else {
        const struct embedded_file *file = embedded(name);
        if (!file)
            return error_set(error, "this program was built without engine.yaml");
        text = (const char *)file->bytes;
        length = (size_t)(file->end - file->bytes);
    }
    return constants_read(name, text, length, arena, constants, NULL, NULL, error)
        && load_overlay(arena, constants, error);
}

const struct calibration *constants_calibration(const struct constants *constants,
                                                const char *stack, const char *gpu)
{
    for (size_t i = constants->calibration_count; i-- > 0;)
        if (!strcmp(constants->calibrations[i].stack, stack)
            && !strcmp(constants->calibrations[i].gpu, gpu))
            return &constants->calibrations[i];
    return NULL;
}
