"""What dalenius claims about its speed and its sharpness, measured beside its peers: `make bench`."""

import os

# One thread each: what is compared is work, not how many cores happen to be idle. Must precede the import of numpy.
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
