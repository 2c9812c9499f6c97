// The document that an experiment file evaluates to.
{
  sweep(name, experiments)::
    { schema: 1, sweep: name, experiments: experiments },
}
