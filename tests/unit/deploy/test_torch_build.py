import socket

import pytest
from deploy.torch_build import CPU_INDEX, Build, choose, reaches


def on_linux(asked: str, *, gpu: bool = False, reachable: bool = True) -> Build:
    return choose(asked, "Linux", has_gpu=lambda: gpu, reaches=lambda url: reachable)


def test_without_a_gpu_the_cpu_build_is_fetched_from_pytorchs_index() -> None:
    build = on_linux("auto")
    assert build.arguments == f"--extra-index-url {CPU_INDEX}"
    assert "No NVIDIA GPU" in build.told
    assert "CPU build" in build.told


def test_with_a_gpu_the_package_index_gives_the_build_with_cuda() -> None:
    build = on_linux("auto", gpu=True)
    assert build.arguments == ""
    assert "NVIDIA GPU" in build.told


@pytest.mark.parametrize("gpu", [True, False])
def test_who_asks_for_a_build_gets_it_whatever_the_machine_has(gpu: bool) -> None:
    assert CPU_INDEX in on_linux("cpu", gpu=gpu).arguments
    assert on_linux("cuda", gpu=gpu).arguments == ""


def test_without_a_way_to_pytorchs_index_the_installation_goes_on_and_says_what_comes() -> None:
    build = on_linux("auto", reachable=False)
    assert build.arguments == ""
    assert f"{CPU_INDEX} cannot be reached" in build.told


def test_the_mac_has_no_build_with_cuda_and_asks_no_index() -> None:
    def not_asked(_url: str) -> bool:
        raise AssertionError

    assert choose("auto", "Darwin", has_gpu=lambda: False, reaches=not_asked).arguments == ""


def test_an_index_that_refuses_the_connection_is_not_reached() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        assert not reaches(f"http://127.0.0.1:{port}/")
