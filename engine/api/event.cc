#include "engine/api/event.h"
