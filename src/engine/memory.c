#include "engine/memory_parts.h"

#include <math.h>
#include <string.h>
#include "base/i18n.h"
#include "base/units.h"

const struct component_info components[COMPONENT_COUNT] = {
    [COMPONENT_WEIGHTS] = {"weights", N_("weights"), N_("The parameters themselves, as stored."),
                           'W', "█"},
    [COMPONENT_ADAPTER] = {"adapter", N_("adapter"),
                           N_("LoRA matrices, and embeddings trained beside them."), 'A', "▚"},
    [COMPONENT_GRADIENTS] = {"gradients", N_("gradients"),
                             N_("One number for each trained parameter."), 'G', "▓"},
    [COMPONENT_OPTIMIZER] =
        {"optimizer", N_("optimizer"),
         N_("Adam's two averages and, in mixed precision, a 32-bit copy of the weights."), 'O',
         "▒"},
    [COMPONENT_ACTIVATIONS] =
        {"activations", N_("activations"),
         N_("What layers compute: training keeps it for the backward pass, serving while a prompt "
            "goes through. Grows with length and batch."),
         'a', "░"},
    [COMPONENT_LOGITS] =
        {"logits", N_("logits"),
         N_("Scores of the whole vocabulary, in several copies: at the loss, or where the next token "
            "is sampled."),
         'L', "▞"},
    [COMPONENT_KV_CACHE] = {"kv_cache", N_("KV cache"),
                            N_("Keys and values of all tokens of all requests in flight."), 'K',
                            "▤"},
    [COMPONENT_BUFFERS] =
        {"buffers", N_("buffers"),
         N_("Training: gathered layers, communication buckets, the layer being recomputed. Serving: "
            "CUDA graphs."),
         'b', "▥"},
    [COMPONENT_RUNTIME] = {"runtime", N_("runtime"),
                           N_("CUDA context, communicators and what the allocator cannot reuse."),
                           'r', "▪"},
};

const char *const peak_names[PEAK_COUNT] = {"load", "step", "optimizer", "save"};
const char *const peak_labels[PEAK_COUNT] = {N_("at load"), N_("longest step"),
                                             N_("optimizer step"), N_("at save")};
const char *const verdict_names[] = {"fits", "tight", "no", NULL};
const char *const verdict_labels[] = {N_("fits"), N_("tight"), N_("no fit")};

double memory_allocated_gib(const struct memory *memory)
{
    double sum = 0;
    for (int i = 0; i < COMPONENT_COUNT; i++)
        sum += i == COMPONENT_RUNTIME ? 0 : memory->components_gib[i];
    return sum;
}

enum verdict memory_verdict(double low_gib, double need_gib, double high_gib, double usable_gib)
{
    (void)low_gib;
    return high_gib <= usable_gib   ? VERDICT_FITS
           : need_gib <= usable_gib ? VERDICT_TIGHT
                                    : VERDICT_NO;
}

/* Model states that are there at a peak: gradients only while it trains, the optimizer once it has
 * begun. */
static double states_at(const struct memory *memory, enum peak peak)
{
    const double *component = memory->components_gib;
    double still = component[COMPONENT_WEIGHTS] + component[COMPONENT_ADAPTER];
    return peak == PEAK_LOAD   ? still
           : peak == PEAK_SAVE ? still + component[COMPONENT_OPTIMIZER]
                               : memory->model_states_gib;
}

void memory_scale_besides_states(struct memory *memory, double ratio)
{
    memory->replicated_total_gib = 0;
    for (int i = 0; i < COMPONENT_COUNT; i++) {
        double factor = i < COMPONENT_ACTIVATIONS ? 1 : ratio;
        memory->components_gib[i] *= factor;
        memory->replicated_gib[i] *= factor;
        memory->replicated_total_gib += memory->replicated_gib[i];
    }
    memory->need_gib = memory->model_states_gib + (memory->need_gib - memory->model_states_gib) * ratio;
}

/* Of everything besides model states: a user's own run says how much more or less it is there. */
static void apply_calibration(struct memory *memory, const struct calibration *own)
{
    double states = memory->model_states_gib, ratio = own->memory_ratio;
    double band = fmin(1, fmax(0.3, fabs(ratio - 1)));
    double rest = (memory->need_gib - states) * ratio;
    memory_scale_besides_states(memory, ratio);
    memory->low_gib = states + rest - band * (states + (rest / ratio) - memory->low_gib) * ratio;
    memory->high_gib = states + rest + band * (memory->high_gib - states - rest / ratio) * ratio;
    for (enum peak i = PEAK_LOAD; i < PEAK_COUNT; i++)
        memory->peaks_gib[i] += (memory->peaks_gib[i] - states_at(memory, i)) * (ratio - 1);
    memory->reserved_gib = memory->need_gib;
    memory->calibrated = own->date;
}

struct memory memory_estimate(const struct job *job, const struct hardware *hardware,
                              const struct layout *layout, const struct constants *constants)
{
    if (job->workload == WORKLOAD_INFERENCE)
        return memory_infer(job, hardware, layout, constants);
    struct memory memory = memory_train(job, hardware, layout, constants);
    const struct calibration *own =
        constants_calibration(constants, stack_names[job->stack], hardware->gpu->id);
    if (own) {
        apply_calibration(&memory, own);
        memory.verdict =
            memory_verdict(memory.low_gib, memory.need_gib, memory.high_gib, memory.usable_gib);
    }
    return memory;
}
