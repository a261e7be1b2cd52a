"""What surrounds torch in a worker: variables that it reads when it is
imported, and Inductor's probes."""

import hashlib
import os
import platform
import re
import shutil
import subprocess
import time

# Seconds that a linker takes to write a library, at most.
WRITING = 5


def prepare_variables():
    """Call before torch is imported. Returns Inductor's cache folder."""
    # One thread: the order of a sum must not depend on the machine's load.
    # One compiling thread: workers run side by side already.
    os.environ["OMP_NUM_THREADS"] = "1"
    os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
    # Inductor takes the processor's instruction sets from its flags, and then
    # compiles and loads a library for each of them, 13 s in a fresh process.
    # This skips the second step only: a set that the processor lacks is not
    # chosen.
    os.environ.setdefault("TORCHINDUCTOR_VEC_ISA_OK", "1")
    # Compiled programs are kept between runs, for each version apart, and for
    # each instruction set. Inductor chooses the latter by what is told here and
    # does not ask for it when it takes a graph from its cache: a loop in steps
    # of 16 elements is then compiled with vectors of 8, and half of its results
    # are never written.
    try:
        from importlib.metadata import version
        name = version("torch").split("+")[0]
    except Exception:
        name = "unknown"
    told = processor_and_compiler() + os.environ.get("ATEN_CPU_CAPABILITY", "")
    name += "-" + hashlib.sha256(told.encode()).hexdigest()[:8]
    cache = cache_folder()
    choose_linker(os.path.join(cache, "linker"))
    return os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR",
                                 os.path.join(cache, "inductor", name))


def processor_and_compiler():
    with open("/proc/cpuinfo", "rb") as f:
        flags = re.search(rb"^(?:flags|Features)\s*:(.*)$", f.read(), re.M)
    compiler = shutil.which(os.environ.get("CXX", "g++")) or ""
    here = f"{flags and flags[1]}{os.path.realpath(compiler)}"
    if compiler:
        here += str(os.stat(compiler).st_mtime_ns)
    return here


def cache_folder():
    return os.environ.get("ASSAY_CACHE") or os.path.expanduser(
        "~/.cache/assay")


def choose_linker(folder):
    """Lets GCC find a faster linker than the default one, if there is any.

    Linking libtorch takes GNU ld 0.35 s, gold 0.16 s and lld 0.09 s, for every
    program that Inductor compiles; the code that is linked is the same. GCC
    looks for `ld` in the folders of COMPILER_PATH first.
    """
    found = shutil.which("ld.lld") or shutil.which("ld.gold")
    if not found or "COMPILER_PATH" in os.environ:
        return
    link = os.path.join(folder, os.path.basename(found), "ld")
    if not os.path.exists(link):
        own = f"{link}.{os.getpid()}"
        try:
            os.makedirs(os.path.dirname(link), exist_ok=True)
            os.symlink(found, own)
            os.replace(own, link)
        except OSError:
            return  # the default linker is as good
    os.environ["COMPILER_PATH"] = os.path.dirname(link)


def remember_probes(folder):
    """Keeps what Inductor finds out about the compiler and the processor.

    For some extensions (AMX, VNNI, bf16) it loads a library in a process of
    its own whatever TORCHINDUCTOR_VEC_ISA_OK says, at every start: 30 s on a
    busy machine. The answers depend on the processor and the compiler alone;
    only a yes is kept, since a no may have had a passing cause.
    """
    try:
        from torch._inductor.cpu_vec_isa import VecISA
        probe = VecISA.check_build
    except (ImportError, AttributeError):
        return  # another version's way: it probes by itself
    here = processor_and_compiler()

    def remembered(self, code):
        key = hashlib.sha256(f"{here}{self._arch_flags}{code}".encode())
        path = os.path.join(folder, "probes", key.hexdigest())
        if os.path.exists(path):
            return True
        answer = probe(self, code)
        if answer:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            open(path, "w").close()
        return answer

    VecISA.check_build = remembered


def is_torn_library(error):
    """Was a library that Inductor kept torn? Then calling again may help."""
    found = re.search(r"(/\S+\.so): (?:file too short|invalid ELF header|"
                      "ELF load command past end of file|"
                      "cannot read file data)", str(error))
    folder = os.environ.get("TORCHINDUCTOR_CACHE_DIR")
    if not (found and folder and found[1].startswith(folder + "/")):
        return False
    try:
        # Another worker may be writing it right now.
        if time.time() - os.path.getmtime(found[1]) > WRITING:
            os.remove(found[1])
        else:
            time.sleep(1)
    except FileNotFoundError:
        pass  # removed by another worker
    return True


def without_torn_libraries(torch, call):
    """call(), which loads or compiles what it calls.

    Inductor writes libraries in place and later takes them for whole, so one
    that a killed process was writing would fail every program that needs it.
    Loading comes before anything runs: to call again is safe.
    """
    for _ in range(4 * WRITING):  # a program may need several
        try:
            return call()
        except Exception as e:
            if not is_torn_library(e):
                raise
        torch._dynamo.reset()
    return call()


def native_march():
    """What -march=native is to the compiler that Inductor calls; its code is
    made for that processor, and rounds as that code does."""
    compiler = os.environ.get("CXX", "g++")
    try:
        told = subprocess.run(
            [compiler, "-march=native", "-Q", "--help=target"],
            capture_output=True, text=True, timeout=20).stdout
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    found = re.search(r"^\s+-march=\s+(\S+)", told, re.M)
    return found[1] if found else "unknown"


def compiler_version():
    """Of the compiler that Inductor calls: what is right by one version may be
    miscompiled by another."""
    compiler = os.environ.get("CXX", "g++")
    try:
        told = subprocess.run([compiler, "-dumpfullversion", "-dumpversion"],
                              capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return f"{os.path.basename(compiler)} {told.stdout.strip()}"


def vector_isa():
    """The instruction set that Inductor's vectors have, in its words: what it
    found on this processor, or less where ATEN_CPU_CAPABILITY says so."""
    try:
        from torch._inductor.cpu_vec_isa import pick_vec_isa
        found = pick_vec_isa()
        return str(found) if found else "none"
    except (ImportError, AttributeError):
        return "unknown"  # another version's way


def versions(torch, backend):
    facts = {"torch": torch.__version__, "git": torch.version.git_version,
             "python": platform.python_version()}
    if backend == "inductor":
        facts["march"] = native_march()
        facts["vec_isa"] = vector_isa()
        facts["cxx"] = compiler_version()
    try:
        name, version = package_of(backend)
        facts[name] = version
    except Exception:  # a backend of torch itself
        pass
    return facts


def package_of(backend):
    """Name and version of the package that brings the backend, which need not
    be called like it."""
    from importlib.metadata import entry_points, version
    for entry in entry_points(group="torch_dynamo_backends", name=backend):
        if entry.dist is not None:
            return entry.dist.name, entry.dist.version
    return backend, version(backend)
