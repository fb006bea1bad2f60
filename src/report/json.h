/* json.h - writes JSON: commas, quoting and numbers are looked after. */
#ifndef GPUWIZ_JSON_H
#define GPUWIZ_JSON_H

#include <stdbool.h>
#include "base/strbuf.h"

struct json {
    struct strbuf *out;
    bool filled; /* the object or array that is open has a member already */
};

/* `key` is NULL inside an array and at the top. */
void json_open(struct json *json, const char *key, char bracket);  /* '{' or '[' */
void json_close(struct json *json, char bracket);                  /* '}' or ']' */
void json_text(struct json *json, const char *key, const char *text); /* NULL = null */
void json_number(struct json *json, const char *key, double number);  /* not finite = null */
void json_bool(struct json *json, const char *key, bool value);

#endif
