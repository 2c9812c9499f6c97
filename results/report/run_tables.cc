#include "results/report/run_tables.h"

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "results/report/ledger.h"
#include "results/report/run_cells.h"
#include "results/report/step_window.h"

namespace zs::results {
namespace {

Table Facts(std::string title,
            std::vector<std::pair<std::string, Cell>> facts) {
  Table table;
  table.title = std::move(title);
  table.columns = {{"fact", "", false}, {"value", "", false}};
  for (auto& [name, value] : facts) {
    table.rows.push_back({TextCell(name), std::move(value)});
  }
  return table;
}

Table StateTable(const RunRow& run) {
  Table table;
  table.title = "run " + std::to_string(run.id) + ": " + run.experiment.name +
                " of " + run.sweep;
  table.columns = {{"state", "", false},
                   {"value", "state", false},
                   {"reason", "reason", false}};
  const RunOutcome none;
  const RunOutcome& o = run.outcome ? *run.outcome : none;
  table.rows = {
      {TextCell("process"), ProcessCell(run), TextCell(o.process_reason)},
      {TextCell("measurement"), MeasurementCell(run),
       TextCell(o.measurement_reason)},
      {TextCell("verdict"), VerdictCell(run), TextCell(o.verdict_reason)}};
  if (!o.nccl_health.empty()) {
    table.rows.push_back({TextCell("NCCL"), TextCell(o.nccl_health),
                          TextCell("see its finding, nccl-health")});
  }
  return table;
}

Table AskedTable(const RunRow& run) {
  const Experiment& a = run.experiment;
  const Effective& e = run.effective;
  Table table;
  table.title = "asked and in effect";
  table.columns = {{"setting", "", false},
                   {"asked", "asked", true},
                   {"in_effect", "in effect", true}};
  const Cell nothing = TextCell("");
  table.rows = {
      {TextCell("ZeRO stage"), IntCell(a.zero_requested),
       IntCell(e.zero_stage)},
      {TextCell("ranks"), IntCell(a.world_size), IntCell(e.world_size)},
      {TextCell("accumulation"), nothing, IntCell(e.accumulation)},
      {TextCell("threads a rank"), nothing, IntCell(e.threads_per_rank)},
      {TextCell("parameters"), nothing, IntCell(e.parameters)},
      {TextCell("device"), nothing,
       e.device.empty() ? UnknownCell() : TextCell(e.device)},
      {TextCell("micro batch"), IntCell(a.micro_batch), nothing},
      {TextCell("global batch"), IntCell(a.global_batch), nothing},
      {TextCell("sequence length"), IntCell(a.seq_len), nothing},
      {TextCell("steps"), IntCell(a.steps), IntCell(run.steps_recorded)}};
  return table;
}

Table PlaceTable(const RunRow& run) {
  return Facts(
      "when and what",
      {{"started (UTC)", TimeCell(run.started_unix_ms)},
       {"seconds", SecondsCell(run.ended_unix_ms, run.started_unix_ms)},
       {"attempt", IntCell(run.attempt)},
       {"repeat", IntCell(run.repeat)},
       {"backend", TextCell(run.experiment.backend)},
       {"model", TextCell(run.experiment.model)},
       {"final loss",
        NumberCell(run.outcome ? run.outcome->final_loss : std::nullopt, 6)},
       {"key", TextCell(run.experiment.key)}});
}

void AddMemoryRow(const char* what, const MemoryRow& m, Table& table) {
  table.rows.push_back({TextCell(what), IntCell(m.rank),
                        BytesCell(m.parameters), BytesCell(m.gradients),
                        BytesCell(m.optimizer), BytesCell(m.activations),
                        BytesCell(m.logits), BytesCell(m.workspace),
                        BytesCell(m.communication), BytesCell(m.total)});
}

Result<Table> MemoryTable(const Reader& reader, int64_t run_id) {
  Table table;
  table.title = "memory";
  table.columns = {{"kind", "", false},
                   {"rank", "rank", true},
                   {"parameters", "parameters", true},
                   {"gradients", "gradients", true},
                   {"optimizer", "optimizer", true},
                   {"activations", "activations", true},
                   {"logits", "logits", true},
                   {"workspace", "workspace", true},
                   {"communication", "comm.", true},
                   {"total", "total", true}};
  ASSIGN_OR_RETURN(const auto predicted,
                   reader.Memory(run_id, MemoryKind::kPredicted));
  ASSIGN_OR_RETURN(const auto measured,
                   reader.Memory(run_id, MemoryKind::kMeasured));
  for (const MemoryRow& row : predicted) {
    AddMemoryRow("predicted", row, table);
  }
  for (const MemoryRow& row : measured) {
    AddMemoryRow("measured", row, table);
  }
  return table;
}

Cell PlaceCell(const std::optional<bool>& in_place) {
  return in_place ? TextCell(*in_place ? "in" : "out of") : UnknownCell();
}

Result<Table> BandwidthTable(const Reader& reader, int64_t run_id) {
  Table table;
  table.title = "collective operations";
  table.columns = {{"op", "operation", false},
                   {"place", "place", false},
                   {"size_bytes", "size", true},
                   {"time_us", "us", true},
                   {"algbw_gb_s", "algbw GB/s", true},
                   {"busbw_gb_s", "busbw GB/s", true},
                   {"wrong", "wrong", true}};
  ASSIGN_OR_RETURN(const auto results, reader.Bandwidths(run_id));
  for (const BandwidthRow& r : results) {
    std::optional<double> us;
    if (r.ms && r.calls.value_or(0) > 0) {
      us = *r.ms * 1000 / static_cast<double>(*r.calls);
    }
    table.rows.push_back({TextCell(r.op), PlaceCell(r.in_place),
                          BytesCell(r.size_bytes), NumberCell(us, 2),
                          NumberCell(r.algbw_gb_s, 3),
                          NumberCell(r.busbw_gb_s, 3), IntCell(r.wrong)});
  }
  return table;
}

Result<Table> RankTable(const Reader& reader, int64_t run_id) {
  Table table;
  table.title = "ranks";
  table.columns = {{"rank", "rank", true},
                   {"host", "host", false},
                   {"pid", "pid", true},
                   {"exit_status", "exit", true},
                   {"exit_signal", "signal", true},
                   {"reason", "reason", false}};
  ASSIGN_OR_RETURN(const auto nodes, reader.Nodes(run_id));
  ASSIGN_OR_RETURN(const auto ranks, reader.Ranks(run_id));
  for (const RankRow& rank : ranks) {
    std::string host = "unknown";
    for (const NodeRow& node : nodes) {
      host = node.node_rank == rank.node_rank ? node.host : host;
    }
    table.rows.push_back({IntCell(rank.rank), TextCell(host), IntCell(rank.pid),
                          IntCell(rank.exit_status), IntCell(rank.exit_signal),
                          TextCell(rank.reason)});
  }
  return table;
}

// What the run has left on its nodes.
Result<Table> CleanUpTable(const Reader& reader, int64_t run_id) {
  Table table;
  table.title = "clean-up";
  table.columns = {{"host", "host", false},
                   {"clean", "clean", false},
                   {"contained_by", "owned by", false},
                   {"left_processes", "processes", true},
                   {"left_shm_bytes", "/dev/shm", true},
                   {"left_gpu_bytes", "GPU memory", true},
                   {"ports_busy", "ports busy", false},
                   {"note", "note", false}};
  ASSIGN_OR_RETURN(const auto nodes, reader.Nodes(run_id));
  for (const NodeRow& node : nodes) {
    const Cell clean = node.clean.has_value()
                           ? TextCell(*node.clean == 1 ? "yes" : "no")
                           : UnknownCell();
    table.rows.push_back(
        {TextCell(node.host), clean, TextCell(node.contained_by),
         IntCell(node.left_processes), BytesCell(node.left_shm_bytes),
         BytesCell(node.left_gpu_bytes), TextCell(node.ports_busy),
         TextCell(node.clean_up_note)});
  }
  return table;
}

// Limits and login shell of the ranks of each node.
Result<Table> LimitTable(const Reader& reader, int64_t run_id) {
  Table table;
  table.title = "limits in effect";
  table.columns = {{"host", "host", false}, {"limits", "limits", false}};
  ASSIGN_OR_RETURN(const auto nodes, reader.Nodes(run_id));
  for (const NodeRow& node : nodes) {
    if (!node.in_effect.empty()) {
      table.rows.push_back({TextCell(node.host), TextCell(node.in_effect)});
    }
  }
  return table;
}

Result<Table> FindingTable(const Reader& reader, int64_t run_id) {
  Table table;
  table.title = "findings";
  table.columns = {{"severity", "severity", false},
                   {"code", "code", false},
                   {"rank", "rank", true},
                   {"message", "message", false},
                   {"hint", "what to do", false}};
  ASSIGN_OR_RETURN(const auto findings, reader.Findings(run_id));
  for (const FindingRow& f : findings) {
    table.rows.push_back({TextCell(std::string(Name(f.severity))),
                          TextCell(f.code), IntCell(f.rank),
                          TextCell(f.message), TextCell(f.hint)});
  }
  return table;
}

// What was not right in full; of the rest how many there were on each node.
Result<Table> CheckTable(const Reader& reader, int64_t run_id) {
  Table table;
  table.title = "checks";
  table.columns = {
      {"node", "node", false},      {"check", "check", false},
      {"status", "status", false},  {"found", "found", false},
      {"allowed", "wanted", false}, {"hint", "to see for yourself", false}};
  ASSIGN_OR_RETURN(const auto checks, reader.ChecksOfRun(run_id));
  std::map<std::string, int> passed;
  for (const CheckRow& c : checks) {
    if (c.status == CheckStatus::kPass) {
      ++passed[c.node];
      continue;
    }
    table.rows.push_back({TextCell(c.node), TextCell(c.name),
                          TextCell(std::string(Name(c.status))),
                          TextCell(c.found), TextCell(c.allowed),
                          TextCell(c.hint)});
  }
  for (const auto& [node, count] : passed) {
    table.rows.push_back({TextCell(node), TextCell("all others"),
                          TextCell(std::string(Name(CheckStatus::kPass))),
                          TextCell(std::to_string(count) + " checks"),
                          TextCell(""), TextCell("")});
  }
  return table;
}

Result<Table> ArtifactTable(const Reader& reader, int64_t run_id) {
  Table table;
  table.title = "files";
  table.columns = {{"kind", "kind", false},
                   {"bytes", "size", true},
                   {"path", "path", false}};
  ASSIGN_OR_RETURN(const auto artifacts, reader.Artifacts(run_id));
  for (const ArtifactRow& a : artifacts) {
    table.rows.push_back(
        {TextCell(a.kind), BytesCell(a.bytes), TextCell(a.path)});
  }
  return table;
}

}  // namespace

Result<std::vector<Table>> RunTables(const Reader& reader, int64_t run_id) {
  ASSIGN_OR_RETURN(const Snapshot snapshot, reader.TakeSnapshot());
  ASSIGN_OR_RETURN(const RunRow run, reader.Run(run_id));
  std::vector<Table> tables = {StateTable(run), PlaceTable(run),
                               AskedTable(run)};
  ASSIGN_OR_RETURN(const StepWindow window, SteadyWindow(reader, run));
  for (const auto make : {TimeLedger, CommunicationLedger}) {
    ASSIGN_OR_RETURN(Table table, make(reader, run_id, window));
    if (!table.rows.empty()) {
      tables.push_back(std::move(table));
    }
  }
  for (const auto make :
       {CheckTable, MemoryTable, BandwidthTable, RankTable, LimitTable,
        CleanUpTable, FindingTable, ArtifactTable}) {
    ASSIGN_OR_RETURN(Table table, make(reader, run_id));
    if (!table.rows.empty()) {
      tables.push_back(std::move(table));
    }
  }
  return tables;
}

}  // namespace zs::results
