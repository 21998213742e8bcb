"""What may follow a figure."""

import pytest

import dalenius as dl


@pytest.mark.parametrize("step", [3, 0.5, "noise", None, object()])
def test_nothing_but_a_channel_follows_a_figure(step):
    with pytest.raises(dl.InputError, match="must be a channel or a mechanism, but got"):
        dl.Count() >> step


def test_channels_follow_as_before():
    assert str(dl.Count() >> dl.Rounded(5)) == str(dl.Rounded(5).__rrshift__(dl.Count()))
