"""What dalenius claims about its speed and its sharpness, measured beside its peers: `make bench`."""
