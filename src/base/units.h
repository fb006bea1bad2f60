/* units.h - numbers as people write and read them. The decimal point is always '.'. */
#ifndef GPUWIZ_UNITS_H
#define GPUWIZ_UNITS_H

#include <stdbool.h>

#define GIB 1073741824.0
#define GB 1e9
#define HOURS_PER_MONTH 730.0 /* 8760 / 12, as the price pages count */

/* Reads "70b", "7e9", "1.5k", "32k", "80G", "80GiB", "2M", "1T", "50%": k/M/G/B/T are powers of
 * 1000 except that Ki/Mi/Gi/Ti and a bare k on a token count are as `binary_k` says (32k tokens =
 * 32768). False on anything that is not wholly a number. */
bool units_parse(const char *text, bool binary_k, double *value);

/* Each writes into `text` (at least UNITS_TEXT bytes) and returns it. Three significant digits,
 * never an exponent; "-" for NaN. */
enum { UNITS_TEXT = 32 };
char *units_gib(double gib, char *text);       /* "14.2", "0.05", "1,024" */
char *units_cny(double cny, char *text);       /* "1,234", "9.53": two decimals below 100 */
char *units_rate(double cny, char *text);      /* small prices: "0.076", "1.25" */
char *units_count(double count, char *text);   /* "7.62B", "32.8k", "512" */
char *units_hours(double hours, char *text);   /* "35 min", "3.2 h", "12.5 d" */
char *units_plain(double value, char *text);   /* shortest text that reads back the same */
char *units_machine(double value, char *text); /* for programs: whole numbers exactly, others to nine
                                                  significant digits, more than any figure is good for,
                                                  so that the last bit of a sum never shows */
char *units_thousands(double value, char *text); /* rounded to an integer, "1,234,567" */

#endif
