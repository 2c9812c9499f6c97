// Kinds of charts, drawn with D3 into a parent element at its width: lines,
// bars and stacked bars. All texts go in as text nodes.
var charts = (function () {
  'use strict';

  var LETTER = 6.6;  // width of a character of an axis, pixels

  function cut(text, most) {
    return text.length > most ? text.slice(0, most - 1) + '\u2026' : text;
  }

  // An SVG of WIDTH x HEIGHT pixels with a plot area inside MARGIN.
  function frame(parent, width, height, margin, label) {
    var svg = parent.append('svg').attr('width', width).attr('height', height)
        .attr('viewBox', '0 0 ' + width + ' ' + height)
        .attr('role', 'img').attr('aria-label', label);
    return {
      area: svg.append('g').attr('transform', 'translate(' + margin.left + ',' + margin.top + ')'),
      width: width - margin.left - margin.right,
      height: height - margin.top - margin.bottom
    };
  }

  function xAxis(f, scale, title, values, format) {
    var axis = d3.svg.axis().scale(scale).orient('bottom').outerTickSize(0)
        .ticks(Math.max(2, Math.floor(f.width / (f.width < 300 ? 60 : 90))));
    if (values) { axis.tickValues(values); }
    if (format) { axis.tickFormat(format); }
    f.area.append('g').attr('class', 'axis').attr('transform', 'translate(0,' + f.height + ')').call(axis);
    if (title) {
      f.area.append('text').attr('class', 'soft').attr('x', f.width / 2).attr('y', f.height + 36)
          .attr('text-anchor', 'middle').text(title);
    }
  }

  function yAxis(f, scale, title, format) {
    var axis = d3.svg.axis().scale(scale).orient('left').outerTickSize(0).tickSize(-f.width)
        .ticks(Math.max(2, Math.floor(f.height / 40)));
    if (format) { axis.tickFormat(format); }
    f.area.append('g').attr('class', 'axis grid').call(axis);
    f.area.append('text').attr('class', 'soft').attr('x', -8).attr('y', -10).attr('text-anchor', 'end').text(title);
  }

  // Coloured squares with names, above a chart.
  function legend(parent, items) {
    var list = parent.append('div').attr('class', 'legend');
    items.forEach(function (item) {
      var entry = list.append('span');
      entry.append('i').attr('class', item.cls);
      entry.append('b').text(item.name);
    });
  }

  function bytes(value) {
    var units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
    var i = 0;
    while (value >= 1024 && i < 4) { value /= 1024; i += 1; }
    return (value >= 100 || value === Math.floor(value) ? value.toFixed(0) : value.toFixed(1)) + ' ' + units[i];
  }

  // Values of DOMAIN for a logarithmic axis with room for SPACE pixels each.
  function thinned(values, width, space) {
    var every = Math.max(1, Math.ceil(values.length * space / width));
    return values.filter(function (value, i) { return i % every === 0; });
  }

  // Lines over a common x. o: {width, height, label, xTitle, yTitle, xLog,
  // xValues, xFormat, yFormat, yDomain, lines: [{name, cls, points, dots}],
  // rings: [{x, y, name}], rules: [{y, name}], left}.
  function lines(parent, o) {
    var margin = {top: 24, right: 18, bottom: o.xTitle ? 46 : 26, left: o.left || 62};
    var f = frame(parent, o.width, o.height, margin, o.label);
    var all = d3.merge(o.lines.map(function (line) { return line.points; }));
    var xs = d3.extent(all, function (d) { return d[0]; });
    if (xs[0] === xs[1]) { xs = o.xLog ? [xs[0] / 2, xs[0] * 2] : [xs[0] - 1, xs[0] + 1]; }
    var x = (o.xLog ? d3.scale.log().base(2) : d3.scale.linear()).domain(xs).range([0, f.width]);
    var domain = o.yDomain || d3.extent(all, function (d) { return d[1]; });
    if (domain[0] === domain[1]) { domain = [domain[0] - 1, domain[1] + 1]; }
    var y = d3.scale.linear().domain(domain).nice().range([f.height, 0]).clamp(true);
    yAxis(f, y, o.yTitle || '', o.yFormat);
    xAxis(f, x, o.xTitle, o.xValues ? thinned(o.xValues, f.width, 70) : null, o.xFormat);
    (o.rules || []).forEach(function (rule) {
      f.area.append('line').attr('class', 'rule').attr('x2', f.width).attr('y1', y(rule.y)).attr('y2', y(rule.y))
          .append('title').text(rule.name);
    });
    var path = d3.svg.line().x(function (d) { return x(d[0]); }).y(function (d) { return y(d[1]); });
    o.lines.forEach(function (line) {
      if (line.points.length > 1) {
        f.area.append('path').attr('class', 'line ' + line.cls).attr('d', path(line.points))
            .append('title').text(line.name);
      }
      if (line.dots || line.points.length === 1) {
        f.area.selectAll('.none').data(line.points).enter().append('circle').attr('r', 3.5)
            .attr('class', 'dot ' + line.cls)
            .attr('cx', function (d) { return x(d[0]); }).attr('cy', function (d) { return y(d[1]); })
            .append('title').text(function (d) { return line.name + ': ' + d[1].toPrecision(4); });
      }
      if (line.labels) {
        f.area.selectAll('.none').data(line.points).enter().append('text').attr('class', 'note')
            .attr('text-anchor', 'end').attr('x', function (d) { return x(d[0]) - 6; })
            .attr('y', function (d) { return y(d[1]) - 7; })
            .text(function (d, i) { return line.labels[i]; });
      }
    });
    f.area.selectAll('.outlier').data(o.rings || []).enter().append('circle').attr('class', 'outlier').attr('r', 5)
        .attr('cx', function (d) { return x(d.x); }).attr('cy', function (d) { return y(d.y); })
        .append('title').text(function (d) { return d.name; });
  }

  // Horizontal bars. o: {width, label, title, format, rows: [{name, end,
  // text, pieces: [{cls, from, to, name}], mark}]}.
  function bars(parent, o) {
    var longest = d3.max(o.rows, function (row) { return row.name.length; });
    var most = Math.max(8, Math.min(longest, Math.floor(o.width * .32 / LETTER)));
    var room = 14 + LETTER * d3.max(o.rows, function (row) { return row.text.length; });
    var margin = {top: 4, right: 12, bottom: 46, left: 14 + LETTER * Math.min(most, longest)};
    var step = o.rows.length > 16 ? 20 : 28;
    var f = frame(parent, o.width, margin.top + margin.bottom + step * o.rows.length, margin, o.label);
    var end = d3.max(o.rows, function (row) { return Math.max(row.end, row.mark || 0); }) || 1;
    var x = d3.scale.linear().domain([0, end]).range([0, Math.max(20, f.width - room)]);
    o.rows.forEach(function (row, i) {
      var g = f.area.append('g').attr('transform', 'translate(0,' + i * step + ')');
      var high = step - 8;
      row.pieces.forEach(function (piece) {
        g.append('rect').attr('class', piece.cls).attr('x', x(piece.from)).attr('y', 4)
            .attr('width', Math.max(0, x(piece.to) - x(piece.from))).attr('height', high)
            .append('title').text(row.name + ', ' + piece.name);
      });
      if (row.mark) {
        g.append('line').attr('class', 'mark').attr('x1', x(row.mark)).attr('x2', x(row.mark))
            .attr('y1', 1).attr('y2', high + 7);
      }
      g.append('text').attr('x', -8).attr('y', step / 2).attr('dy', '.35em').attr('text-anchor', 'end')
          .text(cut(row.name, most)).append('title').text(row.name);
      g.append('text').attr('class', 'soft').attr('x', x(Math.max(row.end, row.mark || 0)) + 6)
          .attr('y', step / 2).attr('dy', '.35em').text(row.text);
    });
    xAxis(f, x, o.title, null, o.format);
  }

  return {lines: lines, bars: bars, legend: legend, bytes: bytes, cut: cut};
})();
