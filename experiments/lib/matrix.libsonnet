// The matrix: many experiments from few lines.
//
// An axis is a list of points; a point is { id: 'z1', set: {...} }: its part of
// the name and what it changes in the experiment (an object to be added with
// Jsonnet's +, so `train+:` reaches inside).
local point(id, set) = { id: id, set: set };

// `id` of several points joined: 'z1_r4'. An empty id adds nothing.
local join(ids) = std.join('_', std.filter(function(id) id != '', ids));

{
  point: point,

  // An axis from values: axis([0, 1, 2], 'z', function(v) {...}) has the ids
  // z0, z1, z2.
  axis(values, prefix, set)::
    [point(prefix + std.toString(value), set(value)) for value in values],

  // Every combination of the axes, the last one varying fastest.
  product(axes)::
    std.foldl(
      function(rows, axis) [
        point(join([row.id, p.id]), row.set + p.set)
        for row in rows
        for p in axis
      ],
      axes,
      [point('', {})]
    ),

  // The axes side by side: the first points of all, the second ones, ... All
  // must have the same length.
  zip(axes)::
    local count = std.length(axes[0]);
    assert std.foldl(function(equal, axis) equal && std.length(axis) == count, axes, true) :
           'zip: the axes have %s points; they must have equally many'
           % std.join(', ', [std.toString(std.length(axis)) for axis in axes]);
    [
      point(
        join([axis[i].id for axis in axes]),
        std.foldl(function(set, axis) set + axis[i].set, axes, {})
      )
      for i in std.range(0, count - 1)
    ],

  // Experiments: `base` with each point's changes, named after the points
  // behind `prefix`.
  experiments(points, base, prefix='')::
    [
      base + p.set + { name: join([prefix, p.id]) }
      for p in points
    ],

  // Marks those for which `when` holds: they are not run, and the plan shows
  // `because` for each.
  exclude(experiments, when, because)::
    [
      if when(e) then e { exclude: because } else e
      for e in experiments
    ],

  // Those for which `when` holds, and nothing of the others.
  select(experiments, when):: std.filter(when, experiments),

  // Adds needs: gates that must have passed before.
  needs(experiments, names)::
    [
      e { needs: (if std.objectHas(e, 'needs') then e.needs else []) + names }
      for e in experiments
    ],

  names(experiments):: [e.name for e in experiments],
}
