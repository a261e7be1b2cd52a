"""For workers of Assay: programs that speak docs/subject-protocol.md.

`worker.Worker` is the whole of it: a subclass names itself, compiles programs
and runs them. What it stands on can be used alone:

    program   reads the text of a program
    memory    tensors in the shared memory
    dtypes    every dtype of the protocol in numpy, rounded to nearest even
    promotion the dtype and the shape that ATen gives a result
    errors    what is answered instead of a result
    records   length-prefixed JSON on a stream
    control   the floating-point control register

Needs the standard library; `dtypes`, `memory`, `promotion` and `worker` need
numpy too. Nothing is imported here, so that a worker may choose what it loads
before it forks.
"""
