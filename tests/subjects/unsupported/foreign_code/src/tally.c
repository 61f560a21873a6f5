#include <pthread.h>
#include <stdint.h>

static uint32_t total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void tally_add(uint32_t by) { total += by; }
uint32_t tally_total(void) { return total; }
void tally_lock(void) { pthread_mutex_lock(&lock); }
int tally_try_lock(void) { return pthread_mutex_trylock(&lock) == 0; }
void tally_unlock(void) { pthread_mutex_unlock(&lock); }
