/* A Vulkan layer with which a test loses its device. The test links the layer, too, and so speaks to the one
 * that the loader has in the chain. */
#ifndef UPRES_TESTS_LOSE_DEVICE_H
#define UPRES_TESTS_LOSE_DEVICE_H

#ifdef __cplusplus
extern "C" {
#endif

/* After `calls` more submits and waits, each of all devices of the process fails with VK_ERROR_DEVICE_LOST,
 * for good; the work before is done, as the driver goes on to live. Negative: not any more. Any thread. */
void lose_device_after(int calls);

/* How many submits and waits there have been since. */
int submits_and_waits(void);

#ifdef __cplusplus
}
#endif

#endif
