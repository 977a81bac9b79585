"""Peak memory of the commands that process many images: see tools/check/memory."""
import argparse
import pathlib
import shutil
import subprocess
import sys
import time

SPECIES = 36
MODEL_LEAVES = 20  # per species, in the model that classifies
GROWTH = 1.10      # at most, from a tenth of the images to all of them


def measured(command, log):
    """Exit code, seconds and peak MiB of a command, measured by a separate process, because the
    system reports the largest child of a process."""
    script = ("import resource, subprocess, sys\n"
              "code = subprocess.run(sys.argv[1:], stdout=sys.stderr).returncode\n"
              "print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n")
    begin = time.monotonic()
    with open(log, "w") as errors:
        run = subprocess.run([sys.executable, "-c", script, *map(str, command)],
                             stdout=subprocess.PIPE, stderr=errors, text=True, check=True)
    code, peak = map(int, run.stdout.split())
    return code, time.monotonic() - begin, peak / 1024


def link_some(source, target, leaves):
    """The first leaves of each species, as links."""
    for species in sorted(source.iterdir()):
        folder = target / species.name
        folder.mkdir(parents=True)
        for file in sorted(species.iterdir())[:leaves]:
            (folder / file.name).hardlink_to(file)


def flows(command, folder, model, leaves):
    """Name, command, and whether the result grows with the number of images."""
    return [
        ("features extract", [command, "features", "extract", leaves, "--config", "leaf", "--out",
                              folder / "store"], False),
        ("leaf classify", [command, "leaf", "classify", leaves, "--model", model, "--csv",
                           folder / "answers.csv"], False),
        ("leaf train", [command, "leaf", "train", "--config", "leaf_published", "--data", leaves,
                        "--model", folder / "model"], True),
        ("leaf evaluate", [command, "leaf", "evaluate", "--config", "leaf_published", "--data",
                           leaves, "--json", folder / "report.json"], True),
    ]


def main():
    parser = argparse.ArgumentParser(prog="tools/check/memory")
    parser.add_argument("command")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("images", type=int, nargs="?", default=100000)
    arguments = parser.parse_args()
    most = max(10 * MODEL_LEAVES, -(-arguments.images // SPECIES))
    shutil.rmtree(arguments.folder, ignore_errors=True)
    arguments.folder.mkdir(parents=True)
    log = arguments.folder / "log"

    def run(what, command):
        code, seconds, peak = measured(command, log)
        if code != 0:
            sys.exit(f"{what}: exit code {code}\n{log.read_text()[-2000:]}")
        return seconds, peak

    everything = arguments.folder / "leaves"
    run("leaf generate", [arguments.command, "leaf", "generate", "--out", everything, "--species",
                          SPECIES, "--leaves", most])
    few = arguments.folder / "few"
    link_some(everything, few, MODEL_LEAVES)
    model = arguments.folder / "classifier"
    run("leaf train", [arguments.command, "leaf", "train", "--config", "leaf", "--data", few,
                       "--model", model])
    tenth = arguments.folder / "tenth"
    link_some(everything, tenth, most // 10)

    wrong = 0
    count = [most // 10 * SPECIES, most * SPECIES]
    print(f"{'':18}{count[0]:>10} images{'':>12}{count[1]:>10} images")
    for part in range(4):
        peaks = []
        times = []
        for leaves in (tenth, everything):
            folder = arguments.folder / ("out-" + leaves.name)
            folder.mkdir(exist_ok=True)
            what, command, grows = flows(arguments.command, folder, model, leaves)[part]
            seconds, peak = run(what, command)
            peaks.append(peak)
            times.append(seconds)
        ratio = peaks[1] / peaks[0]
        flat = ratio <= GROWTH
        wrong += not (flat or grows)
        verdict = "flat" if flat else "as the result does" if grows else "GROWS"
        print(f"{what:18}{peaks[0]:>10.0f} MiB {times[0]:>7.1f} s{peaks[1]:>13.0f} MiB"
              f" {times[1]:>7.1f} s   x {ratio:.2f}  {verdict}", flush=True)
    shutil.rmtree(arguments.folder)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
