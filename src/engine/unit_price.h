/* unit_price.h - money per unit of work and per unit of hardware, so that offers of different size
 * can be compared. Pure divisions that say NAN instead of infinity. */
#ifndef GPUWIZ_UNIT_PRICE_H
#define GPUWIZ_UNIT_PRICE_H

#include "data/catalog.h"

/* CNY per million tokens at a price per hour and a speed (input at the prefill speed, output at the
 * decode speed, at batch 1 or at the user's load: the speed says which). */
double unit_cny_per_mtok(double cny_per_hour, double tokens_per_s);

/* CNY per million tokens read and written by a service that is paid `cny_per_hour` and writes
 * `output_tokens_per_s`. The hour is charged once: divided between prompts and answers by the time
 * each takes, so that input_len x input + output_len x output is the price of a request. */
struct token_price {
    double input, output; /* NAN input = not modelled, the whole hour is then the answers' */
};
struct token_price unit_token_price(double cny_per_hour, double output_tokens_per_s,
                                    double prompt_share, double input_len, double output_len);

/* CNY per 1,000 samples of a run, and per run when the total covers `runs` of them. */
double unit_cny_per_1000_samples(double total_cny, double samples);
double unit_cny_per_run(double total_cny, double runs);

/* CNY per hour and GiB of usable GPU memory, and per hour and dense 16-bit TFLOPS (BF16 where the
 * card has it, else FP16), of a machine at `cny_per_hour`. A T4 lists above an A10 in both. */
double unit_cny_per_gib_hour(const struct instance *instance, double cny_per_hour);
double unit_cny_per_tflops_hour(const struct instance *instance, double cny_per_hour);

#endif
