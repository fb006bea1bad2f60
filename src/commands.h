/* commands.h - what each command of the program does; cli.h has their table. */
#ifndef GPUWIZ_COMMANDS_H
#define GPUWIZ_COMMANDS_H

#include "cli.h"

/* Prints the error as "gpuwiz: file:line:column: message" and the hint below it on standard error;
 * returns `status`. */
enum exit_status cli_fail(const struct error *error, enum exit_status status);

enum exit_status command_wizard(const struct cli *cli);
enum exit_status command_plan(const struct cli *cli);
enum exit_status command_estimate(const struct cli *cli);
enum exit_status command_matrix(const struct cli *cli);
enum exit_status command_list(const struct cli *cli);
enum exit_status command_check(const struct cli *cli);
enum exit_status command_import(const struct cli *cli);
enum exit_status command_calibrate(const struct cli *cli);
enum exit_status command_learn(const struct cli *cli);

#endif
