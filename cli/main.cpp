#include "app.h"

int main(int argc, char** argv) { return upres::cli::run_command({argv + (argc > 0 ? 1 : 0), argv + argc}); }
