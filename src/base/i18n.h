/* i18n.h - every text a person reads goes through tr(). English stands in the source. */
#ifndef GPUWIZ_I18N_H
#define GPUWIZ_I18N_H

#include <stdbool.h>

enum language { LANGUAGE_EN, LANGUAGE_ZH };

/* The text in the chosen language, or `english` itself where no translation exists. The result
 * lives as long as the program. Format strings keep their conversions in the same order. */
const char *tr(const char *english) __attribute__((format_arg(1)));

/* Marks a text in a table for translation; the reader of the table calls tr(). */
#define N_(english) english

void i18n_set_language(enum language language);
enum language i18n_language(void);

/* From --lang ("en" or "zh", NULL = not given), else the first of LANGUAGE that is one of them (unless
 * the locale is C), else LC_ALL, LC_MESSAGES or LANG, the first that is set. Chinese is only chosen by itself when the terminal's character set is UTF-8. False when `option`
 * is neither. */
bool i18n_choose(const char *option);

/* Whether the locale in the environment says that text is UTF-8. */
bool i18n_utf8(void);

#endif
