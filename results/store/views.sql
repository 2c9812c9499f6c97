-- For people with the sqlite3 shell; the program itself reads the tables.
-- Made anew whenever the schema changes.

DROP VIEW IF EXISTS v_latest;
DROP VIEW IF EXISTS v_compare;
DROP VIEW IF EXISTS v_experiments;

-- Each experiment of each sweep and what became of it.
CREATE VIEW v_experiments AS
SELECT s.name AS sweep, s.id AS sweep_id, e.name, e.backend, e.model,
       e.zero_requested, r.zero_effective,
       e.world_size_requested, r.world_size_effective,
       e.micro_batch, e.global_batch, e.seq_len, e.dtype,
       r.id AS run_id, r.attempt, r.repeat,
       CASE WHEN r.id IS NULL THEN e.not_run END AS not_run,
       CASE WHEN r.id IS NULL THEN e.not_run_reason END AS not_run_reason,
       CASE WHEN r.id IS NOT NULL AND r.process IS NULL THEN 'running'
            ELSE r.process END AS process,
       r.process_reason, r.measurement, r.measurement_reason,
       r.verdict, r.verdict_reason, r.final_loss,
       r.ended_unix_ms - r.started_unix_ms AS duration_ms,
       datetime(r.started_unix_ms / 1000, 'unixepoch') AS started_utc,
       e.key
  FROM experiments AS e
  JOIN sweeps AS s ON s.id = e.sweep_id
  LEFT JOIN runs AS r ON r.experiment_id = e.id;

-- One line of figures for each run, over the steps after the warm-up. Means:
-- medians and intervals are what `runner report` computes.
CREATE VIEW v_compare AS
SELECT s.name AS sweep, e.name, r.id AS run_id, r.measurement,
       e.zero_requested, r.zero_effective, r.world_size_effective,
       min(t.step) AS window_first, max(t.step) AS window_last,
       count(t.step_ms) AS n,
       sum(t.tokens) * 1000.0 / sum(t.step_ms) AS tokens_per_s,
       sum(t.tokens) * 1000.0 / sum(t.step_ms) / r.world_size_effective
         AS tokens_per_s_per_gpu,
       avg(t.step_ms) AS step_ms_mean, min(t.step_ms) AS step_ms_min,
       max(t.step_ms) AS step_ms_max, avg(t.comm_exposed_ms)
         AS comm_exposed_ms_mean,
       (SELECT sum(c.bytes) * 1.0 / count(DISTINCT c.step)
          FROM collectives AS c
         WHERE c.run_id = r.id AND c.step > coalesce(e.warmup_steps, 0))
         AS comm_bytes_per_step,
       (SELECT sum(h.bytes_per_step) FROM comm_theory AS h
         WHERE h.run_id = r.id) AS comm_theory_bytes_per_step,
       (SELECT max(m.total) FROM memory AS m
         WHERE m.run_id = r.id AND m.kind = 'measured') AS mem_peak_bytes,
       (SELECT max(m.total) FROM memory AS m
         WHERE m.run_id = r.id AND m.kind = 'predicted')
         AS mem_predicted_bytes,
       r.final_loss, r.key
  FROM runs AS r
  JOIN experiments AS e ON e.id = r.experiment_id
  JOIN sweeps AS s ON s.id = r.sweep_id
  LEFT JOIN steps AS t ON t.run_id = r.id AND t.step_ms IS NOT NULL
                      AND t.step > coalesce(e.warmup_steps, 0)
                      AND t.mark = ''
 GROUP BY r.id;

-- The newest valid run of each key: what `report --compare` and `cached` use.
CREATE VIEW v_latest AS
SELECT * FROM v_compare
 WHERE run_id IN (SELECT max(id) FROM runs WHERE measurement = 'valid'
                   GROUP BY key);
