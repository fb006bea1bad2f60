/* floor.c - the least a program of this kind can take: the same libraries, the same data parsed, one
 * empty screen. `floor parse FILE...` or `floor paint FILE...`. */
#include <curses.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

static int parse(const char *path)
{
    yaml_parser_t parser;
    yaml_event_t event;
    FILE *file = fopen(path, "rb");
    if (!file || !yaml_parser_initialize(&parser))
        return 1;
    yaml_parser_set_input_file(&parser, file);
    for (int end = 0; !end;) {
        if (!yaml_parser_parse(&parser, &event))
            return 1;
        end = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    fclose(file);
    return 0;
}

int main(int argc, char **argv)
{
    setlocale(LC_ALL, "");
    for (int i = 2; i < argc; i++)
        if (parse(argv[i]) != 0)
            return 1;
    if (argc > 1 && strcmp(argv[1], "paint") == 0) {
        SCREEN *screen = newterm(NULL, stdout, stdin);
        if (!screen)
            return 1;
        mvaddstr(0, 0, "ready");
        refresh();
        getch();
        endwin();
        delscreen(screen);
    }
    return 0;
}
