#include "engine/api/run_config.h"
