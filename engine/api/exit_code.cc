#include "engine/api/exit_code.h"
