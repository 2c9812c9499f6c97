#include "engine/api/layout.h"
