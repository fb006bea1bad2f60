/* fields.c - the table of questions. Adding one is a member of struct scenario, an id and a row
 * here; forms, files, --set, help, the man page and completions follow. */
#include "data/scenario.h"

#include <string.h>
#include "base/i18n.h"
#include "base/text.h"

const char *const workload_names[] = {"pretrain", "full", "lora", "inference", NULL};
const char *const precision_names[] = {"bf16-mixed", "fp16-mixed", "bf16", "fp32", "fp8-mixed", NULL};
const char *const optimizer_names[] = {"adamw", "adamw-bf16", "adamw-8bit", "paged-adamw", "adafactor",
                                       "sgd", "sgd-momentum", "lomo", "galore", "lisa", NULL};
const char *const recompute_names[] = {"none", "selective", "full", NULL};
const char *const offload_names[] = {"none", "optimizer", "params", "activations", NULL};
const char *const stack_names[] = {"hf", "deepspeed", "fsdp", "torchtitan", "megatron", "nemo",
                                   "unsloth", "litgpt", "torchtune", NULL};
const char *const engine_names[] = {"vllm", "sglang", "tensorrt-llm", "lmdeploy", "transformers",
                                    "llama.cpp", "gpt-fast", "autoawq", NULL};
const char *const kv_format_names[] = {"fp16", "bf16", "fp8", "int8", "int4", NULL};
const char *const budget_per_names[] = {"total", "month", "hour", NULL};
const char *const billing_names[] = {"any", "payg", "monthly", "yearly", "3year", "savings",
                                     "reserved", "spot", "mixed", NULL};

static const char *const zero_names[] = {"0", "1", "2", "3", NULL};
static const char *const lora_target_names[] = {
    "qv", "qkv", "attention", "all-linear", "all-linear+head", "q_proj", "k_proj", "v_proj",
    "o_proj", "gate_proj", "up_proj", "down_proj", "lm_head", "embed_tokens", NULL};
static const unsigned lora_target_bits[] = {
    LORA_Q | LORA_V, LORA_Q | LORA_K | LORA_V, LORA_ATTENTION, LORA_ALL_LINEAR,
    LORA_ALL_LINEAR | LORA_HEAD, LORA_Q, LORA_K, LORA_V, LORA_O, LORA_GATE, LORA_UP, LORA_DOWN,
    LORA_HEAD, LORA_EMBED};
static const char *const include_names[] = {"by_ticket", "invitation", "not_recommended", "unpriced", NULL};
static const unsigned include_bits[] = {INCLUDE_BY_TICKET, INCLUDE_INVITATION,
                                        INCLUDE_NOT_RECOMMENDED, INCLUDE_UNPRICED};

/* One line for each choice, shown beside it before it is taken. */
static const char *const workload_help[] = {
    N_("train from random weights on a large corpus"),
    N_("train every weight of a finished model"),
    N_("train small adapters beside frozen weights; QLoRA with 4-bit weights"),
    N_("serve a finished model to users")};
static const char *const precision_help[] = {
    N_("16-bit arithmetic, 32-bit master weights: the usual way"),
    N_("for GPUs without bf16 (V100, T4): needs loss scaling"),
    N_("everything in bf16: half the states, some loss of accuracy"),
    N_("32-bit everywhere: slow, for checks"),
    N_("8-bit matrix products; Ada, Hopper and newer only")};
static const char *const optimizer_help[] = {
    N_("two 32-bit moments: 8 bytes a parameter"),
    N_("two bf16 moments: 4 bytes a parameter"),
    N_("two 8-bit moments: 2 bytes a parameter"),
    N_("8-bit moments that may move to host memory"),
    N_("row and column sums instead of a second moment"),
    N_("no state at all"),
    N_("one moment"),
    N_("updates during the backward pass, no gradients kept"),
    N_("moments of a low-rank projection"),
    N_("trains a few layers at a time")};
static const char *const budget_per_help[] = {
    N_("for the whole job"), N_("for each month it runs"), N_("for each hour it runs")};
static const char *const recompute_help[] = {
    N_("keep all activations: fastest, most memory"),
    N_("recompute the cheap, large parts"),
    /* xgettext:no-c-format */
    N_("keep layer inputs only: least memory, about 30 % slower")};
static const char *const offload_help[] = {
    N_("everything stays on the GPU"),
    N_("optimizer states in host memory"),
    N_("weights and optimizer states in host memory"),
    N_("layer inputs in host memory")};
static const char *const zero_help[] = {
    N_("every GPU holds everything"),
    N_("optimizer states are split"),
    N_("and gradients"),
    N_("and weights: FSDP full shard")};
static const char *const stack_help[] = {
    N_("Hugging Face Trainer and PEFT"),
    N_("DeepSpeed"),
    N_("PyTorch FSDP"),
    N_("torchtitan"),
    N_("Megatron-LM as in the 2020-2022 papers"),
    N_("Megatron-core with Transformer Engine"),
    N_("Unsloth"),
    N_("LitGPT"),
    N_("torchtune")};
static const char *const engine_help[] = {
    /* xgettext:no-c-format */
    N_("paged cache, continuous batching; takes 90 % of the card at start"),
    N_("like vLLM, with prefix reuse"),
    N_("compiled for one GPU type"),
    N_("TurboMind kernels, quantised cache"),
    N_("plain Hugging Face generate(): one batch at a time"),
    N_("GGUF files; splits layers over cards"),
    N_("compiled PyTorch, one request at a time"),
    N_("AWQ weights in Hugging Face generate()")};
static const char *const billing_help[] = {
    N_("compare all of them"), N_("by the second, no commitment"),
    N_("pay by the month"), N_("pay for a year"), N_("pay for three years"),
    N_("commit to a spend per hour"), N_("always charged, discounts matching instances"),
    N_("cheap, may be taken away"), N_("base load committed, the rest on demand")};

static bool training(const struct scenario *s)
{
    return !scenario_has(s, FIELD_WORKLOAD) || s->workload != WORKLOAD_INFERENCE;
}

static bool inference(const struct scenario *s)
{
    return !scenario_has(s, FIELD_WORKLOAD) || s->workload == WORKLOAD_INFERENCE;
}

static bool lora(const struct scenario *s)
{
    return !scenario_has(s, FIELD_WORKLOAD) || s->workload == WORKLOAD_LORA;
}

/* The base model is stored in a format of its own under LoRA and when serving. */
static bool stored(const struct scenario *s)
{
    return lora(s) || inference(s);
}

static bool not_saturated(const struct scenario *s)
{
    return inference(s) && !(scenario_has(s, FIELD_SATURATED) && s->saturated);
}

static bool by_samples(const struct scenario *s)
{
    return training(s) && !scenario_has(s, FIELD_TOKENS_B);
}

static bool by_tokens(const struct scenario *s)
{
    return training(s) && !scenario_has(s, FIELD_SAMPLES);
}

static bool no_preset(const struct scenario *s)
{
    return !scenario_has(s, FIELD_MODEL);
}

#define AT(member) .offset = offsetof(struct scenario, member)
#define RANGE(low, high) .minimum = (low), .maximum = (high)

const struct field fields[FIELD_COUNT] = {
    [FIELD_WORKLOAD] = {"workload", N_("Workload"), "", FIELD_KIND_CHOICE, STEP_WORKLOAD, true, AT(workload),
        .choices = workload_names, .choice_help = workload_help,
        .help = N_("What the GPUs are to do. Training holds gradients and optimizer states beside the weights; serving holds a cache for every user.")},

    [FIELD_MODEL] = {"model", N_("Model"), "", FIELD_KIND_ID, STEP_MODEL, true, AT(model),
        .help = N_("A preset, or a file: config.json, .gguf, a safetensors index or a model folder. Parameters are counted from the shape, not from the name.")},
    [FIELD_ARCHITECTURE] = {"architecture", N_("Architecture"), "", FIELD_KIND_MAP, STEP_MODEL, false, AT(architecture),
        .applies = no_preset,
        .help = N_("The shape written out: {layers: 32, hidden_size: 4096, heads: 32, ffn_size: 11008, vocab_size: 32000}. For models that have no preset.")},
    [FIELD_PARAMS_B] = {"params_b", N_("Size"), N_("billion parameters"), FIELD_KIND_NUMBER, STEP_MODEL, true, AT(params_b),
        RANGE(0.01, 20000), .applies = no_preset,
        .help = N_("Only a size in billions: a plausible dense shape is made from it. Use a preset where there is one; shapes decide the cache and the activations.")},

    [FIELD_PRECISION] = {"precision", N_("Precision"), "", FIELD_KIND_CHOICE, STEP_METHOD, true, AT(precision),
        .choices = precision_names, .choice_help = precision_help, .applies = training,
        .help = N_("How numbers are held while training. Mixed precision costs 16 bytes a parameter with Adam, pure bf16 costs 8.")},
    [FIELD_WEIGHTS] = {"weights", N_("Weights"), "", FIELD_KIND_ID, STEP_METHOD, true, AT(weights), .applies = stored,
        .help = N_("How the weights are stored. Four-bit formats quantise the block matrices only: embeddings and head stay 16-bit, so a small model shrinks less than its bits promise.")},
    [FIELD_OPTIMIZER] = {"optimizer", N_("Optimizer"), "", FIELD_KIND_CHOICE, STEP_METHOD, false, AT(optimizer),
        .choices = optimizer_names, .choice_help = optimizer_help, .applies = training,
        .help = N_("What turns gradients into changes. Adam keeps two moments a parameter: more than the weights themselves.")},
    [FIELD_OPTIMIZER_IN_BACKWARD] = {"optimizer_in_backward", N_("Step in backward"), "", FIELD_KIND_BOOL, STEP_METHOD, false, AT(optimizer_in_backward),
        .applies = training,
        .help = N_("Update each weight as soon as its gradient is there, so that gradients need not be kept. Rules out gradient accumulation.")},
    [FIELD_LORA_RANK] = {"lora_rank", N_("LoRA rank"), "", FIELD_KIND_INT, STEP_METHOD, true, AT(lora_rank), RANGE(1, 4096), .applies = lora,
        .help = N_("The inner width of an adapter. Memory hardly depends on it: rank 64 instead of 8 costs some tenths of a GiB.")},
    [FIELD_LORA_TARGETS] = {"lora_targets", N_("LoRA targets"), "", FIELD_KIND_FLAGS, STEP_METHOD, false, AT(lora_targets),
        .choices = lora_target_names, .choice_bits = lora_target_bits, .applies = lora,
        .help = N_("The matrices that get an adapter: qv, qkv, attention, all-linear, all-linear+head, or module names. all-linear learns more and keeps more activations.")},
    [FIELD_TRAIN_EMBEDDINGS] = {"train_embeddings", N_("Train embeddings"), "", FIELD_KIND_BOOL, STEP_METHOD, false, AT(train_embeddings), .applies = lora,
        .help = N_("Train embedding and head in full beside the adapters. Needed for new tokens; costs as much as fully training these two.")},
    [FIELD_SEQ_LEN] = {"seq_len", N_("Sequence length"), N_("tokens"), FIELD_KIND_INT, STEP_METHOD, true, AT(seq_len), RANGE(1, 16777216), .applies = training,
        .help = N_("The longest sample, not the mean: the peak comes with the longest. Activations and logits grow with it in proportion.")},
    [FIELD_MICRO_BATCH] = {"micro_batch", N_("Micro-batch"), N_("sequences"), FIELD_KIND_INT, STEP_METHOD, true, AT(micro_batch), RANGE(1, 65536), .applies = training,
        .help = N_("Sequences that one GPU works on at a time. Larger is faster until memory ends; auto takes the fastest that fits.")},
    [FIELD_GLOBAL_BATCH] = {"global_batch", N_("Global batch"), N_("sequences"), FIELD_KIND_INT, STEP_METHOD, false, AT(global_batch), RANGE(1, 16777216), .applies = training,
        .help = N_("Sequences for each optimizer step over all GPUs. What the micro-batches do not cover is accumulated.")},
    [FIELD_RECOMPUTE] = {"recompute", N_("Recomputation"), "", FIELD_KIND_CHOICE, STEP_METHOD, true, AT(recompute),
        .choices = recompute_names, .choice_help = recompute_help, .applies = training,
        .help = N_("Activation checkpointing: throw activations away and compute them again in the backward pass. A third more computing for a small part of the memory. Left open: on in fine-tuning, as the usual tools have it, and in pretraining where it is needed.")},
    [FIELD_FLASH_ATTENTION] = {"flash_attention", N_("FlashAttention"), "", FIELD_KIND_BOOL, STEP_METHOD, false, AT(flash_attention), .applies = training,
        .help = N_("Attention without the score matrix in memory. V100 and T4 have no FlashAttention-2: there memory grows with the square of the length.")},
    [FIELD_FUSED_LOSS] = {"fused_loss", N_("Fused loss"), "", FIELD_KIND_BOOL, STEP_METHOD, false, AT(fused_loss), .applies = training,
        .help = N_("Compute the loss without holding all logits (Liger, cut cross-entropy, chunks). Saves gigabytes with a large vocabulary.")},
    [FIELD_ZERO] = {"zero", N_("ZeRO stage"), "", FIELD_KIND_CHOICE, STEP_METHOD, true, AT(zero),
        .choices = zero_names, .choice_help = zero_help, .applies = training,
        .help = N_("What data-parallel GPUs split instead of copying. Activations, logits and quantised weights are never split by it.")},
    [FIELD_COMPILE] = {"compile", N_("torch.compile"), "", FIELD_KIND_BOOL, STEP_METHOD, false, AT(compile), .applies = training,
        .help = N_("Fused kernels: less activation memory and less launch overhead, after some minutes of compiling.")},
    [FIELD_OFFLOAD] = {"offload", N_("Offload to host"), "", FIELD_KIND_CHOICE, STEP_METHOD, false, AT(offload),
        .choices = offload_names, .choice_help = offload_help, .applies = training,
        .help = N_("Keep parts in host memory. The need moves to the machine's RAM and the step waits for the PCIe link.")},
    [FIELD_TP] = {"tp", N_("Tensor parallel"), N_("GPUs"), FIELD_KIND_INT, STEP_METHOD, false, AT(tp), RANGE(1, 1024),
        .help = N_("Split every matrix over this many GPUs. Needs NVLink to pay, must divide the heads, and stays inside one machine.")},
    [FIELD_PP] = {"pp", N_("Pipeline parallel"), N_("stages"), FIELD_KIND_INT, STEP_METHOD, false, AT(pp), RANGE(1, 1024),
        .help = N_("Split the layers into stages. Little traffic, but stages wait for each other unless there are many micro-batches.")},
    [FIELD_VP] = {"vp", N_("Virtual stages"), "", FIELD_KIND_INT, STEP_METHOD, false, AT(vp), RANGE(1, 128), .applies = training,
        .help = N_("Interleaved pipeline: each GPU holds several pieces of the model. A smaller bubble for more traffic and memory.")},
    [FIELD_CP] = {"cp", N_("Context parallel"), N_("GPUs"), FIELD_KIND_INT, STEP_METHOD, false, AT(cp), RANGE(1, 1024), .applies = training,
        .help = N_("Split each sequence over this many GPUs. For lengths that no card holds.")},
    [FIELD_EP] = {"ep", N_("Expert parallel"), N_("GPUs"), FIELD_KIND_INT, STEP_METHOD, false, AT(ep), RANGE(1, 1024),
        .help = N_("Spread the experts of a mixture over this many GPUs. Must divide the number of experts.")},
    [FIELD_DP] = {"dp", N_("Data parallel"), N_("copies"), FIELD_KIND_INT, STEP_METHOD, false, AT(dp), RANGE(1, 65536),
        .help = N_("Copies that work on different data. Follows from the GPUs and the other splits; given, it must agree with them.")},
    [FIELD_SP] = {"sp", N_("Sequence parallel"), "", FIELD_KIND_BOOL, STEP_METHOD, false, AT(sp), .applies = training,
        .help = N_("Split norms and layer inputs along the sequence inside a tensor-parallel group. Costs nothing where tensor parallelism is used.")},
    [FIELD_STACK] = {"stack", N_("Training stack"), "", FIELD_KIND_CHOICE, STEP_METHOD, true, AT(stack),
        .choices = stack_names, .choice_help = stack_help, .applies = training,
        .help = N_("The software that trains. Its buffers, kernels and loss implementation decide a good part of memory and speed.")},

    [FIELD_ENGINE] = {"engine", N_("Serving engine"), "", FIELD_KIND_CHOICE, STEP_METHOD, true, AT(engine),
        .choices = engine_names, .choice_help = engine_help, .applies = inference,
        .help = N_("The software that serves. vLLM and SGLang reserve most of the card at start: reserved is not needed.")},
    [FIELD_KV_CACHE] = {"kv_cache", N_("KV cache format"), "", FIELD_KIND_CHOICE, STEP_METHOD, false, AT(kv_cache),
        .choices = kv_format_names, .applies = inference,
        .help = N_("How keys and values of past tokens are stored. fp8 doubles the users that fit, at a small loss.")},
    [FIELD_INPUT_LEN] = {"input_len", N_("Prompt length"), N_("tokens"), FIELD_KIND_INT, STEP_METHOD, true, AT(input_len), RANGE(1, 16777216), .applies = inference,
        .help = N_("Tokens of a typical prompt, history and documents included. Prefill time grows with it.")},
    [FIELD_OUTPUT_LEN] = {"output_len", N_("Answer length"), N_("tokens"), FIELD_KIND_INT, STEP_METHOD, true, AT(output_len), RANGE(1, 16777216), .applies = inference,
        .help = N_("Tokens of a typical answer. Each is one pass over the weights, shared by all that are being served.")},
    [FIELD_CONTEXT] = {"context", N_("Context held"), N_("tokens"), FIELD_KIND_INT, STEP_METHOD, true, AT(context), RANGE(1, 16777216), .applies = inference,
        .help = N_("What one conversation may hold. Never taken as the model's maximum: the cache is paid for by the token.")},
    [FIELD_CONCURRENCY] = {"concurrency", N_("Concurrent users"), N_("sequences"), FIELD_KIND_INT, STEP_METHOD, true, AT(concurrency), RANGE(1, 1048576), .applies = not_saturated,
        .help = N_("Requests being answered at the same moment. Ten times fewer than the users who have the page open is usual.")},
    [FIELD_SATURATED] = {"saturated", N_("Saturated"), "", FIELD_KIND_BOOL, STEP_METHOD, false, AT(saturated), .applies = inference,
        .help = N_("As many sequences as fit: the throughput of a batch job, without regard to latency.")},
    [FIELD_REQUESTS_PER_S] = {"requests_per_s", N_("Requests"), N_("per second"), FIELD_KIND_NUMBER, STEP_WORK, true, AT(requests_per_s), RANGE(0.0001, 1e6), .applies = inference,
        .help = N_("The load at the busy hour. With it the replicas needed are worked out (Little's law).")},
    [FIELD_TTFT_MS] = {"ttft_ms", N_("First token within"), "ms", FIELD_KIND_NUMBER, STEP_WORK, false, AT(ttft_ms), RANGE(1, 1e7), .applies = inference,
        .help = N_("Time to first token to keep. Prefill and waiting decide it.")},
    [FIELD_TPOT_MS] = {"tpot_ms", N_("Next token within"), "ms", FIELD_KIND_NUMBER, STEP_WORK, false, AT(tpot_ms), RANGE(0.1, 1e6), .applies = inference,
        .help = N_("Time per output token to keep. 50 ms is faster than people read; it limits how many share a card.")},
    [FIELD_MAX_NUM_SEQS] = {"max_num_seqs", N_("Engine batch limit"), N_("sequences"), FIELD_KIND_INT, STEP_METHOD, false, AT(max_num_seqs), RANGE(1, 65536), .applies = inference,
        .help = N_("The engine's own limit. Workspace for sampling grows with it times the vocabulary: lower it when memory is short.")},
    [FIELD_MEMORY_UTILIZATION] = {"memory_utilization", N_("Memory share"), N_("of the card"), FIELD_KIND_NUMBER, STEP_METHOD, false, AT(memory_utilization), RANGE(0.05, 1), .applies = inference,
        .help = N_("The share of the card the engine may take. What weights and workspace leave becomes cache.")},

    [FIELD_TOKENS_B] = {"tokens_b", N_("Training tokens"), N_("billion"), FIELD_KIND_NUMBER, STEP_WORK, true, AT(tokens_b), RANGE(1e-6, 1e6), .applies = by_tokens,
        .help = N_("Tokens to train on in all. 20 for each parameter was once the optimum (Chinchilla); small models today see over 1,000.")},
    [FIELD_SAMPLES] = {"samples", N_("Samples"), "", FIELD_KIND_INT, STEP_WORK, true, AT(samples), RANGE(1, 1e12), .applies = by_samples,
        .help = N_("Rows of the data set. Tokens are samples times mean length times epochs.")},
    [FIELD_MEAN_LEN] = {"mean_len", N_("Mean length"), N_("tokens"), FIELD_KIND_INT, STEP_WORK, true, AT(mean_len), RANGE(1, 16777216), .applies = by_samples,
        .help = N_("The mean of the samples, as time is counted with it. Without packing, padding adds up to the sequence length.")},
    [FIELD_EPOCHS] = {"epochs", N_("Epochs"), "", FIELD_KIND_NUMBER, STEP_WORK, true, AT(epochs), RANGE(0.001, 10000), .applies = by_samples,
        .help = N_("Passes over the data. Two or three are usual for fine-tuning; cost is in proportion.")},
    [FIELD_DEADLINE_H] = {"deadline_h", N_("Deadline"), N_("hours"), FIELD_KIND_NUMBER, STEP_WORK, true, AT(deadline_h), RANGE(0.01, 1e6), .applies = training,
        .help = N_("Hours until it must be done, expected rework included. Leave it open to see what each choice takes.")},
    [FIELD_HOURS_PER_DAY] = {"hours_per_day", N_("Running time"), N_("hours a day"), FIELD_KIND_NUMBER, STEP_WORK, true, AT(hours_per_day), RANGE(0.1, 24), .applies = inference,
        .help = N_("Hours a day that the service runs. Below the break-even, paying by the hour wins.")},
    [FIELD_MONTHS] = {"months", N_("Months"), "", FIELD_KIND_NUMBER, STEP_WORK, true, AT(months), RANGE(0.01, 120), .applies = inference,
        .help = N_("How long the service is to run. Commitments pay only when they are used to their end.")},

    [FIELD_GPU] = {"gpu", N_("GPU"), "", FIELD_KIND_ID, STEP_BUDGET, false, AT(gpu),
        .help = N_("Only this GPU. Cards that the provider does not rent out are known too, to compare with one's own.")},
    [FIELD_INSTANCE] = {"instance", N_("Instance type"), "", FIELD_KIND_ID, STEP_BUDGET, false, AT(instance),
        .help = N_("Only this type, for example ecs.gn7i-c8g1.2xlarge. The name tells family, CPU share and size.")},
    [FIELD_GPUS] = {"gpus", N_("GPUs in all"), "", FIELD_KIND_INT, STEP_BUDGET, false, AT(gpus), RANGE(1, 131072),
        .help = N_("Exactly this many GPUs.")},
    [FIELD_NODES] = {"nodes", N_("Machines"), "", FIELD_KIND_INT, STEP_BUDGET, false, AT(nodes), RANGE(1, 16384),
        .help = N_("Exactly this many machines. More than one needs a network fit for it.")},
    [FIELD_GPUS_PER_NODE] = {"gpus_per_node", N_("GPUs per machine"), "", FIELD_KIND_INT, STEP_BUDGET, false, AT(gpus_per_node), RANGE(1, 72),
        .help = N_("For hardware outside the catalog: GPUs that share one machine.")},
    [FIELD_NODE_NETWORK_GBPS] = {"node_network_gbps", N_("Network"), N_("Gbit/s a machine"), FIELD_KIND_NUMBER, STEP_BUDGET, false, AT(node_network_gbps), RANGE(0.1, 100000),
        .help = N_("For hardware outside the catalog: bandwidth of one machine's network.")},
    [FIELD_RDMA] = {"rdma", "RDMA", "", FIELD_KIND_BOOL, STEP_BUDGET, false, AT(rdma),
        .help = N_("For hardware outside the catalog: the network reaches memory without the CPU.")},
    [FIELD_MAX_NODES] = {"max_nodes", N_("At most machines"), "", FIELD_KIND_INT, STEP_BUDGET, false, AT(max_nodes), RANGE(1, 16384),
        .help = N_("The search goes no further. Without it: 1 machine for LoRA, 4 for serving, 8 for full fine-tuning, 128 for pretraining.")},
    [FIELD_REQUIRE_RDMA] = {"require_rdma", N_("Require RDMA"), "", FIELD_KIND_BOOL, STEP_BUDGET, false, AT(require_rdma),
        .help = N_("Leave out types whose network has no RDMA when more than one machine is needed.")},
    [FIELD_REGION] = {"region", N_("Region"), "", FIELD_KIND_ID, STEP_BUDGET, true, AT(region),
        .help = N_("Use the prices of this region and leave out types that have none there. Data in another region costs traffic.")},
    [FIELD_INCLUDE] = {"include", N_("Also show"), "", FIELD_KIND_FLAGS, STEP_BUDGET, false, AT(include),
        .choices = include_names, .choice_bits = include_bits,
        .help = N_("Types that are not simply for sale: by ticket, by invitation, no longer recommended, or without a public price.")},

    [FIELD_BUDGET] = {"budget", N_("Budget"), "CNY", FIELD_KIND_NUMBER, STEP_BUDGET, true, AT(budget), RANGE(0.01, 1e12),
        .help = N_("What may be spent, storage and traffic included.")},
    [FIELD_BUDGET_PER] = {"budget_per", N_("Budget is"), "", FIELD_KIND_CHOICE, STEP_BUDGET, true, AT(budget_per), .choices = budget_per_names,
        .choice_help = budget_per_help,
        .help = N_("In total, for a month, or for an hour.")},
    [FIELD_BILLING] = {"billing", N_("Ways of paying"), "", FIELD_KIND_CHOICE, STEP_BUDGET, true, AT(billing),
        .choices = billing_names, .choice_help = billing_help,
        .help = N_("Which ways of paying may be used. All are shown side by side; this limits what counts as cheapest.")},
    [FIELD_SPOT_PRICE_RATIO] = {"spot_price_ratio", N_("Spot price"), N_("of the hourly price"), FIELD_KIND_NUMBER, STEP_BUDGET, false, AT(spot_price_ratio), RANGE(0.1, 1),
        .help = N_("An assumption where no quote is known: spot price divided by pay-as-you-go price. Look it up before you rely on it.")},
    [FIELD_SPOT_HOURS_BETWEEN_LOSSES] = {"spot_hours_between_losses", N_("Spot lasts"), N_("hours"), FIELD_KIND_NUMBER, STEP_BUDGET, false, AT(spot_hours_between_losses), RANGE(0.1, 1e6),
        .help = N_("An assumption: mean hours until a spot machine is taken away. Any machine lost stops a synchronous job.")},
    [FIELD_CHECKPOINT_MINUTES] = {"checkpoint_minutes", N_("Checkpoint every"), N_("minutes"), FIELD_KIND_NUMBER, STEP_BUDGET, false, AT(checkpoint_minutes), RANGE(0.5, 1e5), .applies = training,
        .help = N_("How often the state is saved. Auto takes the interval with the least expected loss (Young, Daly).")},
    [FIELD_DISK] = {"disk", N_("Data disk"), "", FIELD_KIND_ID, STEP_BUDGET, false, AT(disk),
        .help = N_("Kind of cloud disk. Its throughput decides how long loading and checkpoints take; it grows with size.")},
    [FIELD_DISK_GIB] = {"disk_gib", N_("Disk size"), "GiB", FIELD_KIND_NUMBER, STEP_BUDGET, false, AT(disk_gib), RANGE(1, 65536),
        .help = N_("Of each machine. Given, disks are in the total; they are charged while machines are stopped.")},
    [FIELD_OSS_GB] = {"oss_gb", N_("Object storage"), "GB", FIELD_KIND_NUMBER, STEP_BUDGET, false, AT(oss_gb), RANGE(0, 1e9),
        .help = N_("Data and checkpoints kept in object storage, in the total when given.")},
    [FIELD_CROSS_REGION_GB] = {"cross_region_gb", N_("Cross-region traffic"), "GB", FIELD_KIND_NUMBER, STEP_BUDGET, false, AT(cross_region_gb), RANGE(0, 1e9),
        .help = N_("Data read from another region or the internet, once. A terabyte costs as much as days of a small GPU.")},
    [FIELD_SNAPSHOT_GIB] = {"snapshot_gib", N_("Snapshots"), "GiB", FIELD_KIND_NUMBER, STEP_BUDGET, false, AT(snapshot_gib), RANGE(0, 1e9),
        .help = N_("Snapshots of disks that are kept, all together, in the total when given.")},
    [FIELD_PUBLIC_GB] = {"public_gb", N_("Public traffic"), "GB", FIELD_KIND_NUMBER, STEP_BUDGET, false, AT(public_gb), RANGE(0, 1e9),
        .help = N_("Data sent to the internet, once, in the total when given. What comes in is free.")},
    [FIELD_SHARED_GIB] = {"shared_gib", N_("Shared files"), "GiB", FIELD_KIND_NUMBER, STEP_BUDGET, false, AT(shared_gib), RANGE(1, 1e9),
        .help = N_("A shared file system of that size, in the total when given. It is sold from some terabytes on.")},
};

enum field_id field_id(const struct field *field)
{
    return (enum field_id)(field - fields);
}

const struct field *field_find(const char *key)
{
    for (int i = 0; i < FIELD_COUNT; i++)
        if (strcmp(fields[i].key, key) == 0)
            return &fields[i];
    return NULL;
}

const struct field *field_nearest(const char *key)
{
    const struct field *nearest = &fields[0];
    int best = text_distance(key, fields[0].key);
    for (int i = 1; i < FIELD_COUNT; i++) {
        int distance = text_distance(key, fields[i].key);
        if (distance < best) {
            best = distance;
            nearest = &fields[i];
        }
    }
    return text_alike(nearest->key, key) ? nearest : NULL;
}

bool field_applies(enum field_id id, const struct scenario *scenario)
{
    return !fields[id].applies || fields[id].applies(scenario);
}
