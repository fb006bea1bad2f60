#include "tests/accuracy/doubtful.h"

#include <string.h>

const struct doubtful doubtful_rows[] = {
    {"lmdeploy-kv-int4-llama2-7b", NULL, true,
     "lengths of the ShareGPT trace and the GPU are not on the page"},
    {"vllm-dsr1-l20-c16", NULL, true,
     "the number of cards is missing; one L20 cannot hold a tenth of the weights"},
    {"tt-qwen2-5-72b-instruct-bf16-x2-in2048", "ttft", true,
     "repeated prompts found in the prefix cache; 8192 tokens took 7 times as long"},
    {"vllm-log-llama3-8b-a100-40-highseqs", "kv tokens", true,
     "started with more sequence slots than the default, how many is not given (2048 would agree)"},
    {"vllm-log-qwen3-235b-fp8-4xh100-sglang", "kv tokens", true,
     "started with --mem-fraction-static 0.93, not given"},
    {"glm4-9b-bf16-in32000", "memory", false,
     "called allocated, yet the page's rows of 1000 and 8000 tokens lead to 0.9 GiB over the "
     "weights at "
     "none: the device's memory, context and blocks kept by the allocator included"},
    {"glm4-9b-bf16-in128000", "memory", false, "the same table"},
    {"glm4-9b-int4-in32000", "memory", false, "the same table"},
    {"qwen25-vllm-qwen2-5-72b-gptq-int4-in1-tp1", NULL, false,
     "half of the bandwidth that the same page shows for 7B, 14B and 32B in this format"},
    {"tt-deepseek-r1-0528-fp8-x16-in128", NULL, false,
     "engine, layout and network between the two machines are not said"},
    {"gpustack-qwen3-14b-bf16-a100-x1", NULL, false, "lengths of the ShareGPT trace are not given"},
    {"r205", NULL, false,
     "a benchmark that builds the engine and runs it in one process, with a static batch and "
     "unfused attention: 32 GiB besides the cache for 12.6 of weights"},
};
const size_t doubtful_count = sizeof doubtful_rows / sizeof *doubtful_rows;

const struct doubtful *doubtful_find(const char *id, const char *measure)
{
    for (size_t i = 0; i < doubtful_count; i++) {
        const struct doubtful *row = &doubtful_rows[i];
        if (!strcmp(row->id, id) && (!measure || !row->measures || !strcmp(row->measures, measure)))
            return row;
    }
    return NULL;
}
