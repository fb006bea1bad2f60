#include "engine/money.h"

#include <math.h>

#define LIMIT_FEN 9e16

/* A rate such as 1.005 is not exact in binary: 1.005 x 100 gives 100.49999999999999. One part in
 * 2^40 is added before rounding, far below any quoted digit and far above the representation error,
 * so that what is a half in decimals is rounded as a half. */
#define HALF_GUARD 0x1p-40

static int64_t round_fen(double fen)
{
    if (isnan(fen))
        return 0;
    fen += fen * HALF_GUARD;
    if (fen > LIMIT_FEN)
        fen = LIMIT_FEN;
    if (fen < -LIMIT_FEN)
        fen = -LIMIT_FEN;
    return (int64_t)round(fen); /* round() is half away from zero */
}

int64_t money_fen(double cny)
{
    return round_fen(cny * 100);
}

int64_t money_times(double quantity, double rate_cny)
{
    return round_fen(quantity * rate_cny * 100);
}

double money_cny(int64_t fen)
{
    return (double)fen / 100;
}
