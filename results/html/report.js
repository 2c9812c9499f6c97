// What the page draws, and tables that sort. The data is in the page.
(function () {
  'use strict';
  var data = JSON.parse(document.getElementById('data').textContent);
  var all = data.experiments;
  var measured = all.filter(function (e) { return e.n > 0; });
  var MOST_ROWS = 30;    // of a bar chart
  var MOST_TOGETHER = 6; // lines of experiments in one panel
  var MOST_GPUS = 8;     // experiments whose GPUs are drawn

  function indexOf(e) { return all.indexOf(e); }
  // By experiment where there are few, by ZeRO stage where there are many.
  function color(e) {
    return measured.length <= 7 ? indexOf(e) % 7 : (e.zero_effective || 0) % 7;
  }

  // Takes a figure away; draws into the others at their width.
  function figure(id, has, draw) {
    var node = d3.select('#' + id);
    if (node.empty()) { return; }
    if (!has) { node.remove(); return; }
    node.selectAll('.drawn').remove();
    var box = node.append('div').attr('class', 'drawn');
    draw(box, Math.max(280, box.node().clientWidth));
  }

  function shown(box, rows) {
    if (rows.length > MOST_ROWS) {
      box.append('p').attr('class', 'soft').text('The first ' + MOST_ROWS + ' of ' + rows.length + '; the tables have all.');
    }
    return rows.slice(0, MOST_ROWS);
  }

  // 20k, but 0.2 and not 200m.
  function tick(value) { return value >= 1000 ? d3.format('s')(value) : String(+value.toPrecision(6)); }

  // Bars of one value for each experiment.
  function drawBars(id, label, title, value, format, mark) {
    var rows = measured.filter(function (e) { return value(e) !== null && value(e) !== undefined; });
    figure(id, rows.length && d3.max(rows, value) > 0, function (box, width) {
      charts.bars(box, {
        width: width, label: label, title: title, format: tick,
        rows: shown(box, rows).map(function (e) {
          return {
            name: e.name, end: value(e), text: format(value(e)), mark: mark ? mark(e) : null,
            pieces: [{cls: 'c' + color(e), from: 0, to: value(e), name: format(value(e))}]
          };
        })
      });
    });
  }

  // Stacked bars. ROWS: {name, parts: [value or null...], rest}; PARTS: names.
  function drawStacks(id, label, title, rows, parts, unit, text) {
    figure(id, rows.length, function (box, width) {
      charts.legend(box, parts.map(function (name, i) { return {name: name, cls: 'b' + i}; }));
      charts.bars(box, {
        width: width, label: label, title: title,
        rows: shown(box, rows).map(function (row) {
          var at = 0;
          var pieces = [];
          row.parts.forEach(function (value, i) {
            if (!value || value <= 0) { return; }
            pieces.push({cls: 'c' + i, from: at / unit, to: (at + value) / unit, name: parts[i] + ' ' + text(value)});
            at += value;
          });
          return {name: row.name, end: at / unit, text: text(at), pieces: pieces, mark: null};
        })
      });
    });
  }

  function drawScaling() {
    var models = d3.nest().key(function (e) { return e.model || ''; })
        .entries(measured.filter(function (e) { return e.tokens_per_s && e.world_size; }))
        .map(function (group) {
          return {
            model: group.key,
            stages: d3.nest().key(function (e) { return 'ZeRO ' + e.zero_effective; }).entries(group.values)
          };
        })
        .filter(function (group) {
          return group.stages.some(function (stage) {
            return d3.set(stage.values.map(function (e) { return e.world_size; })).size() > 1;
          });
        });
    figure('scaling', models.length, function (box, width) {
      models.forEach(function (group) { drawScalingOf(box, width, group); });
    });
  }

  function drawScalingOf(box, width, group) {
    var sizes = [];
    var drawn = [];
    group.stages.forEach(function (stage) {
      var points = stage.values.slice().sort(function (a, b) { return a.world_size - b.world_size; });
      var base = points[0];
      sizes = sizes.concat(points.map(function (e) { return e.world_size; }));
      var cls = 's' + (base.zero_effective || 0) % 7;
      drawn.push({
        name: stage.key, cls: cls, dots: true,
        points: points.map(function (e) { return [e.world_size, e.tokens_per_s]; }),
        labels: group.stages.length > 1 && stage !== group.stages[0] ? null : points.map(function (e, i) {
          return i === 0 ? '' : Math.round(100 * e.tokens_per_s_per_gpu / base.tokens_per_s_per_gpu) + '%';
        })
      });
      drawn.push({
        name: 'perfect scaling of ' + stage.key, cls: cls + ' perfect',
        points: points.map(function (e) { return [e.world_size, base.tokens_per_s_per_gpu * e.world_size]; })
      });
    });
    if (group.model) { box.append('p').attr('class', 'panel-title').text(group.model); }
    charts.legend(box, group.stages.map(function (stage) {
      return {name: stage.key, cls: 'b' + (stage.values[0].zero_effective || 0) % 7};
    }).concat([{name: 'perfect', cls: 'dashes'}]));
    charts.lines(box, {
      width: width, height: 280, label: 'Tokens per second of ' + group.model + ' by ranks', xTitle: 'ranks',
      yTitle: 'tokens/s', xLog: true, xFormat: d3.format('d'), yFormat: tick,
      xValues: d3.set(sizes).values().map(Number).sort(d3.ascending),
      yDomain: [0, d3.max(drawn, function (l) { return d3.max(l.points, function (d) { return d[1]; }); })], lines: drawn
    });
  }

  // The times in the window of E decide the scale, so that a slow warm-up does
  // not flatten the rest.
  function stepDomain(rows) {
    var times = [];
    rows.forEach(function (e) {
      e.series.forEach(function (d) {
        if (e.window && d[0] >= e.window.first && d[0] <= e.window.last) { times.push(d[1]); }
      });
    });
    var low = d3.min(times) || 0, high = d3.max(times) || 1;
    var room = Math.max((high - low) * .12, high * .02);
    return [Math.max(0, low - room), high + room];
  }

  function stepLines(e, cls) {
    var first = e.window ? e.window.first : 1;
    return [
      {name: e.name + ', warm-up', cls: cls + ' dim', points: e.series.filter(function (d) { return d[0] <= first; })},
      {name: e.name, cls: cls, points: e.series.filter(function (d) { return d[0] >= first; })}
    ].filter(function (line) { return line.points.length; });
  }

  function ringsOf(e) {
    var marked = d3.set(e.outliers);
    return e.series.filter(function (d) { return marked.has(d[0]); }).map(function (d) {
      return {x: d[0], y: d[1], name: e.name + ', step ' + d[0] + ': ' + d[1] + ' ms'};
    });
  }

  function drawSteps() {
    var rows = all.filter(function (e) { return e.series.length; });
    figure('steps', rows.length, function (box, width) {
      if (rows.length <= MOST_TOGETHER) {
        charts.legend(box, rows.map(function (e) { return {name: e.name, cls: 'b' + color(e)}; }));
        charts.lines(box, {
          width: width, height: 320, label: 'Step times of each experiment in order', xTitle: 'step', yTitle: 'ms',
          xFormat: d3.format('d'), yDomain: stepDomain(rows),
          lines: d3.merge(rows.map(function (e) { return stepLines(e, 's' + color(e)); })),
          rings: d3.merge(rows.map(ringsOf))
        });
        return;
      }
      var grid = box.append('div').attr('class', 'grid-of-panels');
      rows.forEach(function (e) {
        var cell = grid.append('div');
        cell.append('p').attr('class', 'panel-title').text(charts.cut(e.name, 34));
        charts.lines(cell, {
          width: 248, height: 120, label: 'Step times of ' + e.name, yTitle: 'ms', left: 50, xFormat: d3.format('d'),
          yDomain: stepDomain([e]), lines: stepLines(e, 's' + color(e)), rings: ringsOf(e)
        });
      });
    });
  }

  function drawLosses() {
    var rows = measured.filter(function (e) { return e.losses && e.losses.length > 1; });
    figure('losses', rows.length, function (box, width) {
      var few = rows.slice(0, MOST_TOGETHER);
      charts.legend(box, few.map(function (e, i) { return {name: e.name, cls: 'b' + i}; }));
      charts.lines(box, {
        width: width, height: 280, label: 'Loss by step', xTitle: 'step', yTitle: 'loss', xFormat: d3.format('d'),
        lines: few.map(function (e, i) { return {name: e.name, cls: 's' + i, points: e.losses}; })
      });
      if (rows.length > few.length) {
        box.append('p').attr('class', 'soft').text('The first ' + few.length + ' of ' + rows.length + ' experiments.');
      }
    });
  }

  function drawPhases() {
    var parts = ['forward', 'backward', 'optimizer', 'exposed', 'data'];
    var names = ['forward', 'backward', 'optimizer', 'exposed communication', 'data'];
    var rows = [];
    measured.forEach(function (e) {
      function values(from) { return parts.map(function (part) { return from[part]; }); }
      if (e.predicted && e.predicted.step) { rows.push({name: e.name + ' predicted', parts: values(e.predicted)}); }
      if (e.parts && e.parts.forward !== null) {
        rows.push({name: e.name + (e.predicted && e.predicted.step ? ' measured' : ''), parts: values(e.parts)});
      }
    });
    drawStacks('phases', 'Time of a step by part', 'ms a step', rows, names, 1, function (ms) {
      return d3.format(',.4r')(ms) + ' ms';
    });
  }

  function drawMemory() {
    var parts = ['parameters', 'gradients', 'optimizer', 'activations', 'logits', 'workspace', 'communication'];
    var rows = [];
    measured.forEach(function (e) {
      [['predicted', e.mem_predicted_bytes], ['measured', e.mem_peak_bytes]].forEach(function (kind) {
        if (!kind[1]) { return; }
        var values = parts.map(function (part) { return kind[1][part]; });
        if (kind[0] === 'measured' && kind[1].total) { values.push(kind[1].total - d3.sum(values)); }
        rows.push({name: e.name + ' ' + kind[0], parts: values});
      });
    });
    drawStacks('memory', 'Memory by component, predicted and measured', 'MiB', rows,
        parts.concat(['rest of the process']), 1 << 20, charts.bytes);
  }

  // Curves of collective benchmarks.
  function drawBandwidth() {
    var lines = [];
    var rules = [];
    all.forEach(function (e) {
      d3.nest().key(function (d) { return d[0]; }).entries(e.bandwidths || []).forEach(function (group) {
        lines.push({
          name: e.name + ' ' + group.key, dots: true, cls: 's' + lines.length % 7,
          points: group.values.map(function (d) { return [d[1], d[2]]; })
        });
      });
      if (e.roof) { rules.push({y: e.roof, name: e.name + ': at least ' + e.roof + ' GB/s'}); }
    });
    var sizes = d3.merge(lines.map(function (line) { return line.points.map(function (d) { return d[0]; }); }));
    figure('busbw', lines.length, function (box, width) {
      charts.legend(box, lines.map(function (line, i) { return {name: line.name, cls: 'b' + i % 7}; }));
      var ticks = [];
      for (var size = 1; size <= d3.max(sizes); size *= 2) { if (size >= d3.min(sizes)) { ticks.push(size); } }
      charts.lines(box, {
        width: width, height: 300, label: 'Bus bandwidth by size', xTitle: 'size', yTitle: 'GB/s', xLog: true,
        xValues: ticks.length > 1 ? ticks : null, xFormat: charts.bytes, lines: lines, rules: rules,
        yDomain: [0, Math.max(d3.max(lines, function (line) {
          return d3.max(line.points, function (d) { return d[1]; });
        }), d3.max(rules, function (r) { return r.y; }) || 0)]
      });
    });
  }

  function drawTelemetry() {
    var titles = {util_pct: 'utilisation %', power_w: 'power W', temp_c: 'temperature \u00b0C', sm_clock_mhz: 'SM clock MHz'};
    var rows = all.filter(function (e) { return e.gpu && d3.keys(e.gpu).length; });
    figure('telemetry', rows.length, function (box) {
      rows.slice(0, MOST_GPUS).forEach(function (e) {
        box.append('p').attr('class', 'panel-title').text(e.name);
        var grid = box.append('div').attr('class', 'grid-of-panels');
        d3.keys(titles).forEach(function (metric) {
          if (!e.gpu[metric]) { return; }
          charts.lines(grid.append('div'), {
            width: 248, height: 150, label: titles[metric] + ' of ' + e.name, xTitle: 'seconds, ' + titles[metric],
            left: 50, yFormat: tick,
            lines: e.gpu[metric].map(function (line, i) { return {name: line.name, cls: 's' + i % 7, points: line.points}; })
          });
        });
      });
    });
  }

  // How far the scale reaches from 1: one huge interval must not squeeze all
  // others, so what reaches four times as far as the middle one goes beyond.
  function commonReach(reaches) {
    reaches.sort(d3.ascending);
    var most = 4 * Math.max(.01, reaches[Math.floor((reaches.length - 1) / 2)]);
    return Math.max(.02, d3.max(reaches.filter(function (r) { return r <= most; })) * 1.1);
  }

  // Intervals within the first table, all on one scale.
  function drawIntervals() {
    var cells = d3.selectAll('td.interval');
    if (cells.empty()) { return; }
    var reaches = [];
    cells.each(function () { reaches.push(Math.max(Math.abs(this.dataset.lo - 1), Math.abs(this.dataset.hi - 1))); });
    var reach = commonReach(reaches);
    var x = d3.scale.linear().domain([1 - reach, 1 + reach]).range([8, 112]).clamp(true);
    cells.each(function () {
      var lo = Number(this.dataset.lo), hi = Number(this.dataset.hi), value = Number(this.dataset.value);
      var text = '[' + lo.toFixed(3) + ', ' + hi.toFixed(3) + ']';
      var svg = d3.select(this).append('svg').attr('width', 120).attr('height', 18).attr('viewBox', '0 0 120 18')
          .attr('role', 'img').attr('aria-label', text);
      svg.append('rect').attr('class', 'band').attr('x', x(1 / 1.01)).attr('width', x(1.01) - x(1 / 1.01)).attr('height', 18);
      svg.append('line').attr('class', 'rule').attr('x1', x(1)).attr('x2', x(1)).attr('y2', 18);
      svg.append('line').attr('class', 'whisker').attr('x1', x(lo)).attr('x2', x(hi)).attr('y1', 9).attr('y2', 9);
      if (Math.abs(value - 1) <= reach) {
        svg.append('circle').attr('class', 'point').attr('cx', x(value)).attr('cy', 9).attr('r', 4);
      }
      if (lo < 1 - reach) { svg.append('path').attr('class', 'point').attr('d', 'M8 4 L0 9 L8 14 Z'); }
      if (hi > 1 + reach) { svg.append('path').attr('class', 'point').attr('d', 'M112 4 L120 9 L112 14 Z'); }
      d3.select(this).append('span').attr('class', 'soft').text(text);
    });
  }

  // Sorting: a button in each header; empty and unknown cells stay last.
  function makeSortable(table) {
    var body = table.tBodies[0];
    Array.prototype.forEach.call(table.tHead.rows[0].cells, function (th, column) {
      if (!th.textContent) { return; }
      var button = document.createElement('button');
      button.type = 'button';
      button.textContent = th.textContent;
      th.textContent = '';
      th.appendChild(button);
      button.addEventListener('click', function () {
        var down = th.getAttribute('aria-sort') === 'ascending';
        Array.prototype.forEach.call(table.tHead.rows[0].cells, function (other) { other.removeAttribute('aria-sort'); });
        th.setAttribute('aria-sort', down ? 'descending' : 'ascending');
        var rows = Array.prototype.slice.call(body.rows);
        rows.sort(function (a, b) { return order(a.cells[column], b.cells[column], down); });
        rows.forEach(function (row) { body.appendChild(row); });
      });
    });
  }

  function order(a, b, down) {
    var x = a.getAttribute('data-value'), y = b.getAttribute('data-value');
    if (x !== null && y !== null) { return (down ? -1 : 1) * (Number(x) - Number(y)); }
    function missing(cell, value) { return value === null && (cell.classList.contains('unknown') || !cell.textContent); }
    var missingA = missing(a, x), missingB = missing(b, y);
    if (missingA !== missingB) { return missingA ? 1 : -1; }
    return (down ? -1 : 1) * a.textContent.localeCompare(b.textContent);
  }

  function drawAll() {
    drawScaling();
    drawBars('speed', 'Tokens per second and rank', 'tokens/s per rank',
        function (e) { return e.tokens_per_s_per_gpu; }, d3.format(',.0f'));
    drawSteps();
    drawLosses();
    drawPhases();
    drawMemory();
    function mebibytes(value) { return value === null ? null : value / (1 << 20); }
    drawBars('sent', 'Bytes sent in a step by a rank', 'MiB a step and rank',
        function (e) { return mebibytes(e.comm_bytes_per_step); }, d3.format(',.2f'),
        function (e) { return mebibytes(e.comm_theory_bytes_per_step); });
    drawBars('exposed', 'Time a step waits for communication', 'ms a step',
        function (e) { return e.comm_exposed_ms; }, d3.format(',.2f'));
    drawBandwidth();
    drawTelemetry();
  }

  // Under `runner serve`: a newer page is taken as soon as there is one.
  function watch(seconds) {
    var seen = null;
    window.setInterval(function () {
      window.fetch(window.location.href, {method: 'HEAD', cache: 'no-store'}).then(function (answer) {
        var tag = answer.headers.get('ETag');
        if (seen !== null && tag !== seen) { window.location.reload(); }
        seen = tag;
      }, function () {});
    }, seconds * 1000);
  }

  var width = window.innerWidth;
  window.addEventListener('resize', function () {
    if (window.innerWidth !== width) { width = window.innerWidth; drawAll(); }
  });
  drawIntervals();
  drawAll();
  Array.prototype.forEach.call(document.querySelectorAll('table.sortable'), makeSortable);
  var refresh = Number(document.documentElement.dataset.refresh || 0);
  if (refresh > 0) { watch(refresh); }
  document.documentElement.setAttribute('data-ready', 'true');
})();
