-- The record, schema version 1 (docs/results-schema.md explains it).
-- NULL is "unknown". Times: milliseconds since 1970-01-01 UTC. Durations: ms.
-- Texts that end in _json hold one JSON document.

CREATE TABLE sweeps (
  id               INTEGER PRIMARY KEY,
  name             TEXT NOT NULL,
  file             TEXT NOT NULL,
  args_json        TEXT NOT NULL,
  runner_version   TEXT NOT NULL,
  host             TEXT NOT NULL,
  pid              INTEGER NOT NULL,
  seed             INTEGER NOT NULL,
  started_unix_ms  INTEGER NOT NULL,
  ended_unix_ms    INTEGER,
  exit_code        INTEGER CHECK (exit_code BETWEEN 0 AND 255),
  reason           TEXT NOT NULL DEFAULT ''
) STRICT;

-- What was asked for.
CREATE TABLE experiments (
  id                    INTEGER PRIMARY KEY,
  sweep_id              INTEGER NOT NULL REFERENCES sweeps (id),
  name                  TEXT NOT NULL CHECK (name <> ''),
  key                   TEXT NOT NULL CHECK (key <> ''),
  key_parts_json        TEXT NOT NULL,
  spec_json             TEXT NOT NULL,
  needs_json            TEXT NOT NULL,
  backend               TEXT NOT NULL,
  model                 TEXT NOT NULL,
  zero_requested        INTEGER,
  world_size_requested  INTEGER,
  ranks_per_node        INTEGER,
  micro_batch           INTEGER,
  global_batch          INTEGER,
  seq_len               INTEGER,
  steps_requested       INTEGER,
  warmup_steps          INTEGER,
  dtype                 TEXT NOT NULL,
  not_run               TEXT CHECK (not_run IN ('cached', 'need_failed',
                                 'excluded', 'does_not_fit', 'budget')),
  not_run_reason        TEXT NOT NULL DEFAULT '',
  cached_run_id         INTEGER REFERENCES runs (id),
  UNIQUE (sweep_id, name)
) STRICT;
CREATE INDEX experiments_by_name ON experiments (name, id);

-- Each distinct environment once.
CREATE TABLE environments (
  id      INTEGER PRIMARY KEY,
  sha256  TEXT NOT NULL UNIQUE,
  json    TEXT NOT NULL
) STRICT;

-- One attempt at an experiment, and what was in effect.
CREATE TABLE runs (
  id                    INTEGER PRIMARY KEY,
  experiment_id         INTEGER NOT NULL REFERENCES experiments (id),
  sweep_id              INTEGER NOT NULL REFERENCES sweeps (id),
  key                   TEXT NOT NULL,
  attempt               INTEGER NOT NULL CHECK (attempt >= 1),
  repeat                INTEGER NOT NULL CHECK (repeat >= 1),
  token                 TEXT NOT NULL,
  environment_id        INTEGER NOT NULL REFERENCES environments (id),
  started_unix_ms       INTEGER NOT NULL,
  ended_unix_ms         INTEGER,
  zero_effective        INTEGER,
  world_size_effective  INTEGER,
  accumulation          INTEGER,
  parameters            INTEGER,
  threads_per_rank      INTEGER,
  device                TEXT NOT NULL DEFAULT '',
  versions_json         TEXT NOT NULL DEFAULT '{}',
  process               TEXT CHECK (process IN ('exited', 'killed',
                                 'timed_out', 'hung', 'lost')),
  process_reason        TEXT NOT NULL DEFAULT '',
  measurement           TEXT CHECK (measurement IN ('valid', 'incomplete',
                                 'no_data', 'invalid_loss')),
  measurement_reason    TEXT NOT NULL DEFAULT '',
  verdict               TEXT CHECK (verdict IN ('pass', 'fail', 'undecided')),
  verdict_reason        TEXT NOT NULL DEFAULT '',
  exit_status           INTEGER,
  final_loss            REAL,
  parameters_sha256     TEXT NOT NULL DEFAULT '',
  nccl_health           TEXT NOT NULL DEFAULT '',
  UNIQUE (sweep_id, key, attempt),
  -- The three states come together, at the end.
  CHECK ((process IS NULL) = (measurement IS NULL)),
  CHECK ((process IS NULL) = (verdict IS NULL)),
  CHECK ((process IS NULL) = (ended_unix_ms IS NULL))
) STRICT;
CREATE INDEX runs_by_key ON runs (key, id);
CREATE INDEX runs_by_experiment ON runs (experiment_id, id);

CREATE TABLE nodes (
  run_id         INTEGER NOT NULL REFERENCES runs (id),
  node_rank      INTEGER NOT NULL,
  host           TEXT NOT NULL,
  ranks          INTEGER NOT NULL,
  hardware_json  TEXT NOT NULL,
  contained_by   TEXT NOT NULL,
  -- Limits of its ranks and what their login shell gave, as the agent told.
  in_effect      TEXT NOT NULL DEFAULT '',
  other_cpu_pct  REAL,
  -- What the run left there: NULL until somebody has looked.
  clean           INTEGER CHECK (clean IN (0, 1)),
  left_processes  INTEGER,
  left_shm_bytes  INTEGER,
  left_gpu_bytes  INTEGER,
  ports_busy      TEXT NOT NULL DEFAULT '',
  clean_up_note   TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (run_id, node_rank)
) STRICT, WITHOUT ROWID;
CREATE INDEX nodes_not_clean ON nodes (host) WHERE clean IS NOT 1;

CREATE TABLE ranks (
  run_id       INTEGER NOT NULL REFERENCES runs (id),
  rank         INTEGER NOT NULL,
  node_rank    INTEGER NOT NULL,
  local_rank   INTEGER NOT NULL,
  pid          INTEGER,
  exit_status  INTEGER,
  exit_signal  INTEGER,
  reason       TEXT NOT NULL,
  PRIMARY KEY (run_id, rank)
) STRICT, WITHOUT ROWID;

-- SQLite has no NaN: the *_nan columns tell it from unknown.
CREATE TABLE steps (
  run_id           INTEGER NOT NULL REFERENCES runs (id),
  step             INTEGER NOT NULL CHECK (step >= 0),
  step_ms          REAL,
  comm_exposed_ms  REAL,
  tokens           INTEGER,
  loss             REAL,
  grad_norm        REAL,
  lr               REAL,
  data_ms          REAL,
  forward_ms       REAL,
  backward_ms      REAL,
  optimizer_ms     REAL,
  mark             TEXT NOT NULL DEFAULT '',
  loss_nan         INTEGER NOT NULL DEFAULT 0 CHECK (loss_nan IN (0, 1)),
  grad_norm_nan    INTEGER NOT NULL DEFAULT 0 CHECK (grad_norm_nan IN (0, 1)),
  PRIMARY KEY (run_id, step)
) STRICT, WITHOUT ROWID;

-- Training: traffic of one operation over one step on rank 0. Microbenchmarks:
-- step numbers the measurement, and the last columns hold its figures.
CREATE TABLE collectives (
  run_id       INTEGER NOT NULL REFERENCES runs (id),
  step         INTEGER NOT NULL,
  op           TEXT NOT NULL,
  calls        INTEGER,
  bytes        INTEGER,
  ms           REAL,
  size_bytes   INTEGER,
  algbw_gb_s   REAL,
  busbw_gb_s   REAL,
  wrong        INTEGER,
  in_place     INTEGER CHECK (in_place IN (0, 1)),
  PRIMARY KEY (run_id, step, op)
) STRICT, WITHOUT ROWID;

CREATE TABLE comm_theory (
  run_id          INTEGER NOT NULL REFERENCES runs (id),
  op              TEXT NOT NULL,
  bytes_per_step  INTEGER NOT NULL,
  PRIMARY KEY (run_id, op)
) STRICT, WITHOUT ROWID;

-- Measured: each rank's peak. Predicted: the rank with most.
CREATE TABLE memory (
  run_id         INTEGER NOT NULL REFERENCES runs (id),
  kind           TEXT NOT NULL CHECK (kind IN ('measured', 'predicted')),
  rank           INTEGER NOT NULL,
  parameters     INTEGER,
  gradients      INTEGER,
  optimizer      INTEGER,
  activations    INTEGER,
  logits         INTEGER,
  workspace      INTEGER,
  communication  INTEGER,
  total          INTEGER,
  PRIMARY KEY (run_id, kind, rank)
) STRICT, WITHOUT ROWID;

-- What a machine profile and arithmetic say of a run before it starts. Terms in
-- ms a step: compute, attention, memory, optimizer, communication, exposed,
-- overhead, step; and tokens_per_s.
CREATE TABLE predictions (
  run_id   INTEGER NOT NULL REFERENCES runs (id),
  term     TEXT NOT NULL,
  value    REAL NOT NULL,
  profile  TEXT NOT NULL,
  PRIMARY KEY (run_id, term)
) STRICT, WITHOUT ROWID;

CREATE TABLE gpu_samples (
  run_id            INTEGER NOT NULL REFERENCES runs (id),
  node_rank         INTEGER NOT NULL,
  gpu               INTEGER NOT NULL,
  at_unix_ms        INTEGER NOT NULL,
  util_pct          REAL,
  power_w           REAL,
  temp_c            REAL,
  sm_clock_mhz      REAL,
  mem_used_bytes    INTEGER,
  power_cap_w       REAL,
  ecc_errors        INTEGER,
  throttle_reasons  TEXT NOT NULL,
  step              INTEGER,
  PRIMARY KEY (run_id, node_rank, gpu, at_unix_ms)
) STRICT, WITHOUT ROWID;

CREATE TABLE checks (
  id          INTEGER PRIMARY KEY,
  sweep_id    INTEGER NOT NULL REFERENCES sweeps (id),
  run_id      INTEGER REFERENCES runs (id),
  name        TEXT NOT NULL,
  node        TEXT NOT NULL,
  status      TEXT NOT NULL CHECK (status IN ('pass', 'warn', 'fail',
                                              'unknown')),
  found       TEXT NOT NULL,
  allowed     TEXT NOT NULL,
  hint        TEXT NOT NULL,
  at_unix_ms  INTEGER NOT NULL
) STRICT;
CREATE INDEX checks_by_sweep ON checks (sweep_id);

CREATE TABLE findings (
  id          INTEGER PRIMARY KEY,
  sweep_id    INTEGER NOT NULL REFERENCES sweeps (id),
  run_id      INTEGER REFERENCES runs (id),
  code        TEXT NOT NULL,
  severity    TEXT NOT NULL CHECK (severity IN ('info', 'warning', 'error')),
  node        TEXT NOT NULL,
  rank        INTEGER,
  message     TEXT NOT NULL,
  hint        TEXT NOT NULL,
  evidence    TEXT NOT NULL,
  count       INTEGER NOT NULL,
  at_unix_ms  INTEGER NOT NULL
) STRICT;
CREATE INDEX findings_by_run ON findings (run_id);

CREATE TABLE artifacts (
  run_id  INTEGER NOT NULL REFERENCES runs (id),
  path    TEXT NOT NULL,
  kind    TEXT NOT NULL,
  bytes   INTEGER,
  sha256  TEXT NOT NULL,
  PRIMARY KEY (run_id, path)
) STRICT, WITHOUT ROWID;

-- Runs that later ones are measured against.
CREATE TABLE baselines (
  id          INTEGER PRIMARY KEY,
  run_id      INTEGER NOT NULL REFERENCES runs (id),
  reason      TEXT NOT NULL CHECK (reason <> ''),
  author      TEXT NOT NULL,
  at_unix_ms  INTEGER NOT NULL
) STRICT;
CREATE INDEX baselines_by_run ON baselines (run_id);

-- How far runs of the same experiment are apart on the same hosts (A/A).
CREATE TABLE noise_floors (
  id                INTEGER PRIMARY KEY,
  sweep_id          INTEGER NOT NULL REFERENCES sweeps (id),
  experiment        TEXT NOT NULL,
  hosts_json        TEXT NOT NULL,
  device            TEXT NOT NULL,
  runs              INTEGER NOT NULL CHECK (runs >= 2),
  run_deviation     REAL NOT NULL CHECK (run_deviation >= 0),
  at_unix_ms        INTEGER NOT NULL
) STRICT;
