#include "engine/unit_price.h"

#include <math.h>

static double share(double cny, double units)
{
    return units > 0 ? cny / units : NAN;
}

double unit_cny_per_mtok(double cny_per_hour, double tokens_per_s)
{
    return share(cny_per_hour, tokens_per_s * 3600 / 1e6);
}

struct token_price unit_token_price(double cny_per_hour, double output_tokens_per_s,
                                    double prompt_share, double input_len, double output_len)
{
    double all = unit_cny_per_mtok(cny_per_hour, output_tokens_per_s);
    if (isnan(prompt_share))
        return (struct token_price){NAN, all};
    return (struct token_price){input_len > 0 ? prompt_share * all * output_len / input_len : NAN,
                                (1 - prompt_share) * all};
}

double unit_cny_per_1000_samples(double total_cny, double samples)
{
    return share(total_cny, samples / 1000);
}

double unit_cny_per_run(double total_cny, double runs)
{
    return share(total_cny, runs);
}

double unit_cny_per_gib_hour(const struct instance *instance, double cny_per_hour)
{
    return share(cny_per_hour, instance->gpu_count * instance->gpu_usable_gib);
}

double unit_cny_per_tflops_hour(const struct instance *instance, double cny_per_hour)
{
    const struct gpu *gpu = instance->gpu;
    double tflops = gpu->bf16 && gpu->bf16_tflops > 0 ? gpu->bf16_tflops : gpu->fp16_tflops;
    double fraction = instance->gpu_fraction > 0 ? instance->gpu_fraction : 1;
    return share(cny_per_hour, instance->gpu_count * fraction * tflops);
}
