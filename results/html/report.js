// Draws the charts from the data in the page and makes tables sortable. All
// texts go in as text nodes.
(function () {
  'use strict';
  var data = JSON.parse(document.getElementById('data').textContent);
  var all = data.experiments;
  var measured = all.filter(function (e) { return e.n > 0; });

  function color(i) { return i % 7; }

  // An SVG of WIDTH x HEIGHT units in the figure ID, with a plot area inside
  // MARGIN; null where there is no such figure.
  function plot(id, height, left, label) {
    var figure = d3.select('#' + id);
    if (figure.empty()) { return null; }
    var width = figure.classed('wide') ? 1060 : 520;
    var svg = figure.append('svg')
        .attr('viewBox', '0 0 ' + width + ' ' + height)
        .attr('role', 'img').attr('aria-label', label);
    var margin = {top: 14, right: 16, bottom: 34, left: left};
    return {
      area: svg.append('g').attr('transform', 'translate(' + margin.left + ',' + margin.top + ')'),
      width: width - margin.left - margin.right,
      height: height - margin.top - margin.bottom
    };
  }

  function xAxis(p, scale, title, format) {
    var axis = d3.svg.axis().scale(scale).orient('bottom').ticks(7).outerTickSize(0);
    if (format) { axis.tickFormat(format); }
    p.area.append('g').attr('class', 'axis').attr('transform', 'translate(0,' + p.height + ')').call(axis);
    p.area.append('text').attr('class', 'soft').attr('x', p.width).attr('y', p.height + 31)
        .attr('text-anchor', 'end').text(title);
  }

  function rowNames(p, names, y) {
    p.area.selectAll('.name').data(names).enter().append('text').attr('class', 'name')
        .attr('x', -10).attr('text-anchor', 'end').attr('dy', '.35em')
        .attr('y', function (d) { return y(d) + y.rangeBand() / 2; })
        .text(function (d) { return d.length > 16 ? d.slice(0, 15) + '\u2026' : d; });
  }

  function bands(names, height) {
    return d3.scale.ordinal().domain(names).rangeBands([0, height], .25, .1);
  }

  function nameOf(e) { return e.name; }

  // Intervals of the speed ratio.
  function drawRatios() {
    var rows = measured.filter(function (e) { return e.name !== e.baseline && e.ratio.value !== null; });
    if (!rows.length) { d3.select('#ratios').remove(); return; }
    var p = plot('ratios', 60 + 34 * rows.length, 120, 'Speed against the baseline with 95% intervals');
    var lo = d3.min(rows, function (e) { return e.ratio.lo; });
    var hi = d3.max(rows, function (e) { return e.ratio.hi; });
    var x = d3.scale.linear().domain([Math.min(lo, .98), Math.max(hi, 1.02)]).nice().range([0, p.width]);
    var y = bands(rows.map(nameOf), p.height);
    p.area.append('rect').attr('class', 'band').attr('x', x(1 / 1.01)).attr('width', x(1.01) - x(1 / 1.01)).attr('height', p.height);
    p.area.append('line').attr('class', 'rule').attr('x1', x(1)).attr('x2', x(1)).attr('y2', p.height);
    var row = p.area.selectAll('.row').data(rows).enter().append('g').attr('class', 'row')
        .attr('transform', function (e) { return 'translate(0,' + (y(e.name) + y.rangeBand() / 2) + ')'; });
    row.append('line').attr('class', function (e) { return 's' + color(all.indexOf(e)); }).attr('stroke-width', 3)
        .attr('x1', function (e) { return x(e.ratio.lo); }).attr('x2', function (e) { return x(e.ratio.hi); });
    row.append('circle').attr('class', function (e) { return 'c' + color(all.indexOf(e)); }).attr('r', 5)
        .attr('cx', function (e) { return x(e.ratio.value); });
    rowNames(p, rows.map(nameOf), y);
    xAxis(p, x, 'times the baseline', d3.format('.2f'));
  }

  // Horizontal bars of VALUE, a dashed mark at what MARK gives.
  function drawBars(id, label, title, value, format, mark) {
    var rows = measured.filter(function (e) { return value(e) !== null; });
    if (!rows.length) { d3.select('#' + id).remove(); return; }
    var p = plot(id, 60 + 34 * rows.length, 120, label);
    var x = d3.scale.linear().range([0, p.width - 70]).domain([0, d3.max(rows, function (e) {
      return Math.max(value(e), mark ? mark(e) || 0 : 0);
    }) || 1]);
    var y = bands(rows.map(nameOf), p.height);
    p.area.selectAll('rect').data(rows).enter().append('rect')
        .attr('class', function (e) { return 'c' + color(all.indexOf(e)); })
        .attr('y', function (e) { return y(e.name); }).attr('height', y.rangeBand())
        .attr('width', function (e) { return x(value(e)); });
    p.area.selectAll('.value').data(rows).enter().append('text').attr('class', 'value').attr('dy', '.35em')
        .attr('x', function (e) { return x(value(e)) + 6; })
        .attr('y', function (e) { return y(e.name) + y.rangeBand() / 2; })
        .text(function (e) { return format(value(e)); });
    p.area.selectAll('.mark').data(mark ? rows.filter(function (e) { return mark(e) !== null; }) : [])
        .enter().append('line').attr('class', 'mark')
        .attr('x1', function (e) { return x(mark(e)); }).attr('x2', function (e) { return x(mark(e)); })
        .attr('y1', function (e) { return y(e.name) - 4; })
        .attr('y2', function (e) { return y(e.name) + y.rangeBand() + 4; });
    rowNames(p, rows.map(nameOf), y);
    xAxis(p, x, title);
  }

  // Step times: pale before the window, outliers ringed.
  function drawSteps() {
    var rows = all.map(function (e, i) { return {e: e, i: i, points: data.series[i] || []}; })
        .filter(function (r) { return r.points.length; });
    if (!rows.length) { d3.select('#steps').remove(); return; }
    var p = plot('steps', 320, 70, 'Step times in order');
    var inWindow = [];
    rows.forEach(function (r) {
      r.points.forEach(function (d) {
        if (r.e.window && d[0] >= r.e.window.first && d[0] <= r.e.window.last) { inWindow.push(d[1]); }
      });
    });
    var top = d3.max(inWindow) * 1.15 || 1;
    var bottom = d3.min(inWindow) * .9 || 0;
    var x = d3.scale.linear().range([0, p.width])
        .domain([1, d3.max(rows, function (r) { return r.points[r.points.length - 1][0]; })]);
    var y = d3.scale.linear().domain([bottom, top]).nice().range([p.height, 0]).clamp(true);
    var line = d3.svg.line().x(function (d) { return x(d[0]); }).y(function (d) { return y(d[1]); });
    rows.forEach(function (r) {
      var first = r.e.window ? r.e.window.first : 1;
      var warm = r.points.filter(function (d) { return d[0] <= first; });
      var steady = r.points.filter(function (d) { return d[0] >= first; });
      p.area.append('path').attr('class', 'line dim s' + color(r.i)).attr('d', warm.length ? line(warm) : 'M0,0');
      p.area.append('path').attr('class', 'line s' + color(r.i)).attr('d', steady.length ? line(steady) : 'M0,0');
      var marked = d3.set(r.e.outliers);
      p.area.selectAll('.o' + r.i).data(r.points.filter(function (d) { return marked.has(d[0]); }))
          .enter().append('circle').attr('class', 'outlier').attr('r', 5)
          .attr('cx', function (d) { return x(d[0]); }).attr('cy', function (d) { return y(d[1]); });
    });
    p.area.append('g').attr('class', 'axis').call(d3.svg.axis().scale(y).orient('left').ticks(6).outerTickSize(0));
    p.area.append('text').attr('class', 'soft').attr('x', 4).attr('y', 4).text('ms');
    xAxis(p, x, 'step', d3.format('d'));
    legend(p, rows.map(function (r) { return {name: r.e.name, i: r.i}; }));
  }

  function legend(p, items) {
    var x = 60;
    items.slice(0, 12).forEach(function (item) {
      p.area.append('rect').attr('class', 'c' + color(item.i)).attr('x', x).attr('y', -8).attr('width', 10).attr('height', 10);
      p.area.append('text').attr('x', x + 14).attr('y', 1).text(item.name);
      x += 30 + 7 * item.name.length;
    });
  }

  // Memory by component: the prediction above what was measured.
  function drawMemory() {
    var parts = ['parameters', 'gradients', 'optimizer', 'activations', 'logits', 'workspace', 'communication'];
    var rows = [];
    measured.forEach(function (e) {
      [['predicted', e.mem_predicted_bytes], ['measured', e.mem_peak_bytes]].forEach(function (kind) {
        if (!kind[1]) { return; }
        var at = 0;
        var pieces = parts.map(function (part, i) {
          var from = at;
          at += kind[1][part] || 0;
          return {i: i, from: from, to: at};
        });
        rows.push({name: e.name + ' ' + kind[0], pieces: pieces, end: at});
      });
    });
    if (!rows.length) { d3.select('#memory').remove(); return; }
    var p = plot('memory', 80 + 24 * rows.length, 150, 'Memory by component, predicted and measured');
    var unit = 1 << 20;
    var x = d3.scale.linear().domain([0, d3.max(rows, function (r) { return r.end; }) / unit]).range([0, p.width]);
    var y = bands(rows.map(nameOf), p.height - 20);
    rows.forEach(function (r) {
      p.area.selectAll('.none').data(r.pieces).enter().append('rect')
          .attr('class', function (d) { return 'c' + color(d.i); })
          .attr('x', function (d) { return x(d.from / unit); })
          .attr('width', function (d) { return x((d.to - d.from) / unit); })
          .attr('y', y(r.name) + 20).attr('height', y.rangeBand());
      p.area.append('text').attr('x', -10).attr('text-anchor', 'end').attr('dy', '.35em')
          .attr('y', y(r.name) + 20 + y.rangeBand() / 2).text(r.name);
    });
    xAxis(p, x, 'MiB');
    legend({area: p.area.append('g').attr('transform', 'translate(-60,0)')}, parts.map(function (part, i) { return {name: part, i: i}; }));
  }

  // Sorting: a button in each header; empty and unknown cells stay last.
  function makeSortable(table) {
    var body = table.tBodies[0];
    Array.prototype.forEach.call(table.tHead.rows[0].cells, function (th, column) {
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
    if (x === null || y === null) {
      var missingA = x === null && a.classList.contains('unknown');
      var missingB = y === null && b.classList.contains('unknown');
      if (missingA !== missingB) { return missingA ? 1 : -1; }
      return (down ? -1 : 1) * a.textContent.localeCompare(b.textContent);
    }
    return (down ? -1 : 1) * (Number(x) - Number(y));
  }

  var comma = d3.format(',.0f');
  drawRatios();
  drawBars('speed', 'Tokens per second and rank', 'tokens/s per rank', function (e) { return e.tokens_per_s_per_gpu; }, comma);
  drawSteps();
  drawMemory();
  function mebibytes(bytes) { return bytes === null ? null : bytes / (1 << 20); }
  drawBars('sent', 'Bytes sent in a step by a rank', 'MiB a step and rank',
      function (e) { return mebibytes(e.comm_bytes_per_step); }, d3.format(',.2f'),
      function (e) { return mebibytes(e.comm_theory_bytes_per_step); });
  drawBars('exposed', 'Time a step waits for communication', 'ms a step',
      function (e) { return e.comm_exposed_ms; }, d3.format(',.2f'));
  Array.prototype.forEach.call(document.querySelectorAll('table.sortable'), makeSortable);
  document.documentElement.setAttribute('data-ready', 'true');
})();
