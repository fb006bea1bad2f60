/* money.h - amounts as whole hundredths of the currency (fen, cents), so that totals equal the sum
 * of their lines to the last digit. Rates stay `double`: they are quoted with four decimals. */
#ifndef GPUWIZ_MONEY_H
#define GPUWIZ_MONEY_H

#include <stdint.h>

/* The one rounding rule of this program: each line of a bill is rounded once, half away from zero,
 * after quantity x rate; totals are sums of rounded lines and are never rounded again. Amounts of
 * more than +-9e16 fen saturate; NAN gives 0 (callers do not bill what they do not know). */
int64_t money_fen(double cny);

/* quantity x rate, rounded by that rule. */
int64_t money_times(double quantity, double rate_cny);

double money_cny(int64_t fen);

#endif
