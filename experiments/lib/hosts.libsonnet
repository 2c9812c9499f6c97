// Lists of hosts, from wherever they are written down: names and patterns, the
// hostfiles of DeepSpeed and Open MPI, Slurm's node lists. What is wrong with
// one is an error that names the place. Pure Jsonnet: the text comes in by
//
//   importstr 'hostfile'                      beside the experiment file or in a -J folder
//   --tla-str-file hostfile=/job/hostfile     from anywhere
//   -A nodelist="$SLURM_JOB_NODELIST"         within a Slurm allocation
local letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
// Objects rather than sets: a look into one costs no search.
local of(characters) = { [c]: true for c in std.stringChars(characters) };
local digits = of('0123456789');
local first_characters = of(letters + '0123456789');
local name_characters = of(letters + '0123456789._-');
local most = 4096;

local all(text, set) =
  std.length([c for c in std.stringChars(text) if !std.objectHas(set, c)]) == 0;

// Text that the reader may see as it is.
local shown(text) = std.escapeStringJson(text);

local is_host(text) =
  std.length(text) >= 1 && std.length(text) <= 253
  && std.objectHas(first_characters, text[0]) && all(text, name_characters);

local checked_host(text, where) =
  if is_host(text) then text
  else error '%s: %s is no host name; allowed are letters, digits, ".", "_" and "-", a letter or digit first'
             % [where, shown(text)];

// TEXT split at the commas that stand outside brackets: pieces whose bracket is
// open are put together again.
local split_outside(text) =
  local count(text, c) = std.length(std.findSubstr(c, text));
  local is_open(text) = count(text, '[') > count(text, ']');
  local step(pieces, piece) =
    local n = std.length(pieces);
    if n > 0 && is_open(pieces[n - 1])
    then pieces[:n - 1] + [pieces[n - 1] + ',' + piece]
    else pieces + [piece];
  std.foldl(step, std.split(text, ','), []);

local is_number(text) =
  std.length(text) >= 1 && std.length(text) <= 12 && all(text, digits);

local padded(number, width) =
  local text = '' + number;
  if std.length(text) >= width then text
  else std.repeat('0', width - std.length(text)) + text;

// '0033-0036' as numbers of that width.
local range(text, where) =
  local ends = std.split(text, '-');
  local last = ends[std.length(ends) - 1];
  if std.length(ends) > 2 || !is_number(ends[0]) || !is_number(last)
  then error '%s: %s is no range; allowed is FIRST-LAST in decimal digits' % [where, shown(text)]
  else
    local from = std.parseInt(ends[0]);
    local to = std.parseInt(last);
    if to < from then error '%s: the range %s goes down' % [where, shown(text)]
    else if to - from >= most then error '%s: %s is more than %d hosts' % [where, shown(text), most]
    else [padded(n, std.length(ends[0])) for n in std.range(from, to)];

// One name with its ranges, without commas outside brackets.
local expand_one(text, where) =
  local opened = std.findSubstr('[', text);
  if std.length(opened) == 0 then [text]
  else
    local before = text[:opened[0]];
    local rest = text[opened[0] + 1:];
    local closed = std.findSubstr(']', rest);
    if std.length(closed) == 0 then error '%s: a bracket is not closed in %s' % [where, shown(text)]
    else
      local numbers = std.flattenArrays(
        [range(part, where) for part in std.split(rest[:closed[0]], ',')]
      );
      local tails = expand_one(rest[closed[0] + 1:], where);
      [before + number + tail for number in numbers for tail in tails];

// HOSTS, of which none may stand twice.
local each_once(hosts, where) =
  // The names of fields come sorted, and a blank before all that hosts have.
  local sorted = std.objectFields({ [hosts[i] + ' ' + i]: null for i in std.range(0, std.length(hosts) - 1) });
  local host_of(field) = std.split(field, ' ')[0];
  local twice = [
    host_of(sorted[i])
    for i in std.range(1, std.length(sorted) - 1)
    if host_of(sorted[i]) == host_of(sorted[i - 1])
  ];
  if std.length(hosts) == 0 then error '%s: no host' % where
  else if std.length(hosts) > most then error '%s: %d hosts; allowed are at most %d' % [where, std.length(hosts), most]
  else if std.length(twice) > 0 then error '%s: host %s stands twice' % [where, twice[0]]
  else hosts;

local expand_text(text, where) =
  std.flattenArrays([
    [checked_host(host, where) for host in expand_one(part, where)]
    for part in split_outside(text)
  ]);

local words_of(line) =
  std.filter(function(word) word != '',
             std.split(std.strReplace(std.strReplace(line, '\t', ' '), '\r', ' '), ' '));

// One line of a hostfile, its comment taken off: {host, slots}.
local hostfile_line(words, default_slots, where) =
  local is_slots(word) = std.startsWith(word, 'slots=');
  local settings = words[1:];
  local strange = std.filter(function(word) !is_slots(word), settings);
  local slots =
    if std.length(settings) > 1 then error '%s: more than one slots=' % where
    else if std.length(settings) == 1 then settings[0][std.length('slots='):]
    else if default_slots == null
    then error '%s: no slots= behind %s; say how many ranks it has (slots=8)' % [where, shown(words[0])]
    else std.toString(default_slots);
  local host = checked_host(words[0], where);
  if std.length(strange) > 0
  then error '%s: %s behind the host; allowed is slots=N alone, and one host a line' % [where, shown(strange[0])]
  else if host == null then null
  else if !is_number(slots) || std.parseInt(slots) < 1 || std.parseInt(slots) > most
  then error '%s: slots=%s; allowed are 1 to %d' % [where, slots, most]
  else { host: host, slots: std.parseInt(slots), where: where };

{
  // The hosts of a name, of a pattern such as 'g[0033-0036,0040]' or
  // 'a,b[1-2]', or of a list of these: names alone, in order, each once.
  // WHERE is what messages begin with.
  expand(nodes, where='topology.nodes')::
    local texts = if std.isArray(nodes) then nodes else [nodes];
    local strange = std.filter(function(text) !std.isString(text), texts);
    if std.length(strange) > 0
    then error '%s: %s is no text' % [where, std.toString(strange[0])]
    else each_once(std.flattenArrays([expand_text(text, where) for text in texts]), where),

  // Slurm's node list: SLURM_JOB_NODELIST, or what `squeue -o %N` says.
  slurm(nodelist)::
    if nodelist == ''
    then error 'SLURM_JOB_NODELIST: empty; is this within an allocation (salloc, sbatch)?'
    else self.expand(nodelist, 'SLURM_JOB_NODELIST'),

  // {nodes, slots} of a hostfile's text: lines HOST slots=N, empty lines, and
  // comments behind #. Every host must have the same number of slots, since
  // every node runs equally many ranks. NAME is what messages call the file;
  // DEFAULT_SLOTS is for lines that do not say (without it they are refused).
  hostfile(text, name='hostfile', default_slots=null)::
    local unmarked = if std.startsWith(text, '\uFEFF') then text[1:] else text;
    local lines = std.split(unmarked, '\n');
    local rows = [
      {
        where: '%s:%d' % [name, i + 1],
        words: words_of(std.split(lines[i], '#')[0]),
      }
      for i in std.range(0, std.length(lines) - 1)
    ];
    local entries = [
      hostfile_line(row.words, default_slots, row.where)
      for row in rows
      if std.length(row.words) > 0
    ];
    local first_of(host) = [entry.where for entry in entries if entry.host == host][0];
    local faults =
      [
        '%s: host %s stands twice; first on %s' % [entry.where, entry.host, first_of(entry.host)]
        for entry in entries
        if first_of(entry.host) != entry.where
      ]
      + [
        '%s: %s has %d slots, %s has %d; every node must have equally many'
        % [entry.where, entry.host, entry.slots, entries[0].host, entries[0].slots]
        for entry in entries
        if entry.slots != entries[0].slots
      ];
    if std.length(entries) == 0 then error '%s: no host; lines are HOST slots=N' % name
    else if std.length(faults) > 0 then error faults[0]
    else { nodes: [entry.host for entry in entries], slots: entries[0].slots },

  // The hosts of [{NODE: 'g0033', NODE_RANK: 0}, ...]: in the order of the
  // ranks, which must be 0, 1, 2, ...
  ranked(nodes, where='nodes')::
    local faults = [
      '%s[%d]: %s has NODE_RANK %s; in this place it must be %d, so that each rank is there once and in order'
      % [where, i, nodes[i].NODE, std.toString(nodes[i].NODE_RANK), i]
      for i in std.range(0, std.length(nodes) - 1)
      if std.toString(nodes[i].NODE_RANK) != std.toString(i)
    ];
    if std.length(faults) > 0 then error faults[0]
    else self.expand([node.NODE for node in nodes], where),
}
