"""Tests of the whole product, written with unittest."""

def e2e_test(name, size = "medium"):
    """A test NAME.py that starts //runner."""
    native.py_test(
        name = name,
        size = size,
        srcs = [name + ".py", "harness.py"],
        main = name + ".py",
        data = ["//runner"],
        # Loopback ports and processes are the machine's.
        tags = ["no-sandbox"],
    )
