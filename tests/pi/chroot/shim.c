/* Preloaded into libcamera where there are no dma-bufs: a chroot on a common machine.
 *
 * The virtual camera wants its buffers from /dev/udmabuf or /dev/dma_heap. Here both are
 * plain memory files: they can be mapped and passed on just the same.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/dma-heap.h>
#include <linux/udmabuf.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

static const size_t PAGE = 4096;

static int stand_in(const char *path)
{
    if (path && (!strcmp(path, "/dev/udmabuf") || !strncmp(path, "/dev/dma_heap/", 14)))
        return memfd_create("stand-in", MFD_CLOEXEC);
    return -1;
}

#define OPEN(NAME)                                                      \
    int NAME(const char *path, int flags, ...)                          \
    {                                                                   \
        static int (*real)(const char *, int, ...);                     \
        va_list more;                                                   \
        int fd = stand_in(path);                                        \
        if (fd >= 0)                                                    \
            return fd;                                                  \
        if (!real)                                                      \
            real = dlsym(RTLD_NEXT, #NAME);                             \
        va_start(more, flags);                                          \
        mode_t mode = va_arg(more, mode_t);                             \
        va_end(more);                                                   \
        return real(path, flags, mode);                                 \
    }
OPEN(open)
OPEN(open64)

int __open_2(const char *path, int flags) { return open(path, flags, 0); }
int __open64_2(const char *path, int flags) { return open64(path, flags, 0); }

int openat64(int folder, const char *path, int flags, ...)
{
    static int (*real)(int, const char *, int, ...);
    va_list more;
    int fd = stand_in(path);
    if (fd >= 0)
        return fd;
    if (!real)
        real = dlsym(RTLD_NEXT, "openat64");
    va_start(more, flags);
    mode_t mode = va_arg(more, mode_t);
    va_end(more);
    return real(folder, path, flags, mode);
}

static int allocate(struct dma_heap_allocation_data *wanted)
{
    int fd = memfd_create("stand-in", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, (wanted->len + PAGE - 1) & ~(PAGE - 1)))
        return -1;
    wanted->fd = fd;
    return 0;
}

int ioctl(int fd, unsigned long request, ...)
{
    static int (*real)(int, unsigned long, ...);
    va_list more;
    va_start(more, request);
    void *argument = va_arg(more, void *);
    va_end(more);
    switch (request) {
    case UDMABUF_CREATE:
        return dup(((struct udmabuf_create *)argument)->memfd);
    case DMA_HEAP_IOCTL_ALLOC:
        return allocate(argument);
    case DMA_BUF_IOCTL_SYNC:
    case DMA_BUF_SET_NAME_A:
    case DMA_BUF_SET_NAME_B:
        return 0;
    }
    if (!real)
        real = dlsym(RTLD_NEXT, "ioctl");
    return real(fd, request, argument);
}
