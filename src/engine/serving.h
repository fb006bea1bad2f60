/* serving.h - one replica of a served model: what a decode step and a prefill cost, what its engine
 * sets memory aside for, and its throughput at the loads that cost figures are quoted at. */
#ifndef GPUWIZ_SERVING_H
#define GPUWIZ_SERVING_H

#include "engine/speed.h"

/* How an engine manages memory and requests; the defaults its documentation gives. */
struct engine_rules {
    bool paged;   /* claims a pool of cache blocks at start; requests beyond it wait */
    bool of_free; /* `share` is of what weights and buffers leave, not of the whole card */
    double share; /* of the memory that the engine takes */
    double slots, slots_large; /* sequences in flight at most; on large cards */
    double chunk, chunk_large; /* prompt tokens prefilled at once; 0 = all of the batch's prompts */
    double graphs_gib;         /* CUDA graphs */
    bool keeps_whole;          /* a request holds cache for its last token from the start */
    bool layer_split;          /* several GPUs work one after the other, also on many sequences */
    bool runs_ahead; /* the host queues kernels: a step takes the longer of host and GPU */
};
extern const struct engine_rules engine_rules[ENGINE_COUNT];

/* Sequence slots: as asked for, else the engine's default on this card. */
double serving_slots(const struct job *job, const struct hardware *hardware);

/* Prompt tokens that the engine prefills at once on this card by default; 0 = all. */
double serving_chunk(const struct job *job, const struct hardware *hardware);

/* NVLink joins all GPUs of the machine; bridges join pairs only. */
bool serving_nvlink(const struct hardware *hardware);

/* Sequences of the job that one replica has in flight (not for `saturated`). */
double serving_concurrency(const struct job *job, const struct layout *layout);

/* Tokens of cache to plan for each sequence: the context where an engine sets it aside or it was
 * asked for, else what the request has in the end. */
double serving_context(const struct job *job);

/* Weights on the most loaded GPU, bytes. Total parameters count, never the active ones. */
struct serving_weights {
    double stored;
    double replicated; /* of it, what every GPU of a tensor-parallel group holds */
};
struct serving_weights serving_weights(const struct job *job, const struct layout *layout);

/* Bytes of the model read to decode one token for each of `batch` sequences, all GPUs together:
 * experts that no token of the batch asks for are not read. Active parameters count here. */
double serving_read_bytes(const struct job *job, double batch);

/* What the time of one replica is made of, worked out once for a layout. */
struct serving {
    const struct job *job;
    const struct layout *layout;
    const struct constants *constants;
    double weight_rate, kv_rate;     /* bytes per second that one GPU achieves */
    double sequence_kv_rate;         /* of the cache, for each sequence of a step */
    double flop_s, attention_flop_s; /* seconds per FLOP of prefill, matrices and attention */
    double host_s;                   /* launches and Python, a step */
    double hop_s;                    /* between pipeline stages, a step */
    double allreduce_s, allreduce_s_per_token; /* tensor parallel, all layers, a step */
    bool known;    /* false: the card's bandwidth or peak is not known */
    bool measured; /* constants come from cards of this kind */
};
struct serving serving_on(const struct job *job, const struct hardware *hardware,
                          const struct layout *layout, const struct constants *constants);

/* Bytes of cache that one GPU reads per second in a step of `batch` sequences. */
double serving_cache_rate(const struct serving *serving, double batch);

/* Seconds of one decode step of `batch` sequences that hold `tokens` each; `terms` (may be NULL)
 * receives what it is made of. */
double serving_step_s(const struct serving *serving, double batch, double tokens,
                      double terms[TERM_COUNT]);

/* Seconds until the first token of one prompt, nothing else running. NAN for llama.cpp, whose
 * prompt kernels differ by a factor of 50 between cards and formats: not modelled. */
double serving_prefill_s(const struct serving *serving, double tokens);

/* One replica at a load. */
struct serving_load {
    double batch; /* sequences decoded together */
    double step_s;
    double prefill_s; /* of one prompt alone; NAN = not modelled, rates leave it out */
    double prompt_s;  /* what one more prompt adds to a step; 0 = not modelled */
    double tpot_s;    /* steps and the prefills of others in between */
    double output_tokens_per_s;
};
struct serving_load serving_at(const struct serving *serving, double batch);

/* Sequences one replica can hold and is worth running: limited by cache, slots and, where asked
 * for, by the time per output token. At least 1. */
double serving_largest_batch(const struct serving *serving, const struct hardware *hardware,
                             const struct memory *memory);

/* Sequences one replica decodes together at the load asked for, at most `most`: by Little's law
 * where a request rate is given. */
double serving_load_batch(const struct serving *serving, double most);

/* Whether the sequences asked for start together and end together, round after round, instead of each
 * being replaced when it ends. In speed_infer.c. */
bool serving_in_rounds(const struct job *job);

/* Output tokens per second of one replica; NAN = not modelled. */
struct serving_rates {
    double batch1_output_tokens_per_s;    /* one request at a time */
    double load_output_tokens_per_s;      /* at the concurrency or request rate asked for */
    double saturated_output_tokens_per_s; /* as many sequences as fit */
    double prefill_tokens_per_s;          /* prompt tokens, nothing else running */
    double saturated_batch;               /* sequences */
    /* Of the time a sequence takes, the share in which prompts are read, its own and those that
     * others bring meanwhile; the rest is decoding. NAN = not modelled. */
    double batch1_prompt_share, load_prompt_share, saturated_prompt_share;
};
struct serving_rates serving_rates(const struct job *job, const struct hardware *hardware,
                                   const struct layout *layout, const struct memory *memory,
                                   const struct constants *constants);

#endif
