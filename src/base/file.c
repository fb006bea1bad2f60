#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/i18n.h"

static bool failed(const char *path, const char *what, struct error *error)
{
    int number = errno;
    error_at(error, path, 0, 0, tr("%s: %s"), what, tr(strerror(number)));
    return false;
}

const char *file_name(const char *path)
{
    return strcmp(path, "-") == 0 ? tr("standard input") : path;
}

bool file_read(const char *path, size_t max_bytes, struct strbuf *text, struct error *error)
{
    bool standard = strcmp(path, "-") == 0;
    FILE *file = standard ? stdin : fopen(path, "rb");
    if (!file)
        return failed(file_name(path), tr("cannot be opened"), error);
    char chunk[16384];
    size_t n;
    while ((n = fread(chunk, 1, sizeof chunk, file)) > 0 && text->length <= max_bytes)
        strbuf_add_n(text, chunk, n);
    bool bad = ferror(file) != 0;
    if (bad)
        failed(file_name(path), tr("cannot be read"), error);
    if (!standard)
        fclose(file);
    if (!bad && text->length > max_bytes)
        return error_at(error, file_name(path), 0, 0, tr("longer than %zu bytes"), max_bytes);
    return !bad;
}

static bool make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        int made = mkdir(path, 0700);
        *slash = '/';
        if (made != 0 && errno != EEXIST)
            return false;
    }
    return true;
}

static bool write_all(int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t n = write(fd, bytes, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        bytes += n;
        length -= (size_t)n;
    }
    return true;
}

/* A device or pipe (/dev/stdout, /dev/null) is written to: a rename would put a file in its place. */
static bool write_through(const char *path, const char *bytes, size_t length, struct error *error)
{
    int fd = open(path, O_WRONLY);
    bool done = fd >= 0 && write_all(fd, bytes, length);
    if (!done)
        failed(path, tr("cannot be written"), error);
    if (fd >= 0 && close(fd) != 0 && done)
        done = failed(path, tr("cannot be written"), error);
    return done;
}

/* What a new file may be: all but what the umask takes. */
static mode_t usual_mode(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

static bool replace_file(const char *path, mode_t mode, const char *bytes, size_t length,
                         struct error *error)
{
    size_t size = strlen(path) + sizeof ".XXXXXX";
    char *temporary = xrealloc(NULL, size, 1);
    snprintf(temporary, size, "%s.XXXXXX", path);
    bool done = make_folders(temporary);
    int fd = done ? mkstemp(temporary) : -1;
    done = fd >= 0 && write_all(fd, bytes, length) && fchmod(fd, mode) == 0 && fsync(fd) == 0;
    if (fd >= 0 && close(fd) != 0)
        done = false;
    done = done && rename(temporary, path) == 0;
    if (!done) {
        failed(path, tr("cannot be written"), error);
        if (fd >= 0)
            unlink(temporary);
    }
    free(temporary);
    return done;
}

bool file_write(const char *path, const char *bytes, size_t length, bool overwrite,
                struct error *error)
{
    struct stat status;
    bool exists = stat(path, &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return failed(path, tr("cannot be written"), error);
    }
    if (exists && !S_ISREG(status.st_mode))
        return write_through(path, bytes, length, error);
    struct stat link; /* one that leads nowhere is there, too */
    if (!overwrite && (exists || lstat(path, &link) == 0))
        return error_at(error, path, 0, 0, "%s", tr("exists already"));
    char *target = exists ? realpath(path, NULL) : NULL; /* a link stays one */
    mode_t mode = exists ? status.st_mode & 07777 : usual_mode(); /* what was private stays so */
    bool done = replace_file(target ? target : path, mode, bytes, length, error);
    free(target);
    return done;
}

int file_lock(const char *path)
{
    size_t length = strlen(path) + 1;
    char *folder = xrealloc(NULL, length, 1);
    memcpy(folder, path, length);
    char *slash = strrchr(folder, '/');
    if (slash && make_folders(folder))
        slash[1] = '\0';
    int lock = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(folder);
    if (lock >= 0 && flock(lock, LOCK_EX) != 0) {
        close(lock);
        return -1;
    }
    return lock;
}

void file_unlock(int lock)
{
    if (lock >= 0)
        close(lock);
}

const char *file_xdg(struct arena *arena, const char *variable, const char *fallback, const char *name)
{
    const char *folder = getenv(variable), *home = getenv("HOME");
    if (folder && folder[0] == '/')
        return arena_printf(arena, "%s/gpuwiz/%s", folder, name);
    return home && home[0] == '/' ? arena_printf(arena, "%s/%s/gpuwiz/%s", home, fallback, name) : NULL;
}
