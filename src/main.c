/* main.c - the command line: parse, dispatch, exit status. Only this file exits. */
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--version") == 0) {
        puts("gpuwiz " GPUWIZ_VERSION);
        return 0;
    }
    fputs("usage: gpuwiz --version\n", stderr);
    return 2;
}
