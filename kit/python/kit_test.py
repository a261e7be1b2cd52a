"""Tests of assay_worker, which kit_test.cc runs. Needs numpy."""

import io
import json
import math
import os
import unittest

import numpy as np

from assay_worker import (dtypes, errors, memory, promotion, records, table,
                          worker)
from assay_worker.control import FloatingPointControl
from assay_worker.program import DType, Value, parse

TEXT = """assay-program 1 device 1
%0 = input f32[2, 3] strides[1, 2]
%1 = const f16[2] {0x3c00, 0xbc00}
%2 = const i64[0] {}
%3 = aten.a.b(%0, -2, 0.5, -inf, none, true, bf16, [1, -1], [%0, %1], [])
%4 = aten.c.default(%3, s="x\\"=y [,]\\\\", alpha=2, dim=[0], out=%1)
%5 = getitem(%4, 2)
return %5, %4
"""


class Programs(unittest.TestCase):
    def test_reads_all_kinds_of_arguments(self):
        program = parse(TEXT)
        self.assertEqual(program.device, 1)
        self.assertEqual(program.inputs[0].strides, [1, 2])
        self.assertEqual(program.constants[0].bits, [0x3C00, 0xBC00])
        self.assertEqual(program.constants[1].bits, [])
        first, second = program.calls
        self.assertEqual(first.args, [
            Value(0), -2, 0.5, -math.inf, None, True, DType("bf16"), [1, -1],
            [Value(0), Value(1)], []])
        self.assertIs(type(first.args[1]), int)
        self.assertEqual(second.kwargs, {
            "s": 'x"=y [,]\\', "alpha": 2, "dim": [0], "out": Value(1)})
        self.assertEqual(second.results, [4, None, 5])
        self.assertEqual(program.outputs, [5, 4])

    def test_strides_are_row_major_where_left_out(self):
        program = parse("assay-program 1\n%0 = input f32[2, 0, 3]\nreturn %0")
        self.assertEqual(program.inputs[0].strides, [3, 3, 1])

    def test_says_which_line_it_does_not_know(self):
        for text in ("assay-program 2\n", "", "assay-program 1\n",
                     "assay-program 1\n%0 = input f99[2]\nreturn %0\n",
                     "assay-program 1\n%1 = getitem(%0, 1)\nreturn %1\n",
                     "assay-program 1\n%0 = aten.a.b([1, 2)\nreturn %0\n",
                     "assay-program 1\nhello\nreturn %0\n"):
            with self.assertRaises(errors.Failure, msg=text):
                parse(text)


class Rounding(unittest.TestCase):
    def test_every_pattern_comes_back(self):
        for name in list(dtypes.NARROW) + [dtypes.E8M0]:
            width = dtypes.itemsize(name)
            bits = np.arange(256**width).astype(dtypes.UNSIGNED[width])
            values = dtypes.from_bits(bits, name)
            number = ~np.isnan(values)
            again = dtypes.to_bits(values[number], name)
            np.testing.assert_array_equal(again, bits[number], name)
            self.assertTrue(np.isnan(dtypes.round_to(math.nan, name)), name)

    def test_ties_go_to_even_and_neighbours_to_the_nearer(self):
        for name in dtypes.NARROW:
            width = dtypes.itemsize(name)
            largest = dtypes.NARROW[name][3]
            codes = np.arange(largest).astype(dtypes.UNSIGNED[width])
            low = dtypes.from_bits(codes, name).astype(np.float64)
            high = dtypes.from_bits(codes + np.array(1, codes.dtype),
                                    name).astype(np.float64)
            middle = (low + high) / 2
            np.testing.assert_array_equal(
                dtypes.to_bits(middle, name), codes + codes % 2, name)
            np.testing.assert_array_equal(
                dtypes.to_bits(np.nextafter(middle, 0), name), codes, name)
            np.testing.assert_array_equal(
                dtypes.to_bits(np.nextafter(middle, np.inf), name), codes + 1,
                name)

    def test_what_is_too_large(self):
        for name, value, code in (
                ("bf16", 3.4e38, 0x7F80), ("f8e4m3fn", 464.0, 0x7E),
                ("f8e4m3fn", 465.0, 0x7F), ("f8e5m2", -61440.0, 0xFC),
                ("f8e4m3fnuz", math.inf, 0x80), ("f8e5m2fnuz", 1e9, 0x80),
                ("f8e4m3fnuz", -0.0, 0), ("f8e8m0fnu", 1.5, 0x80),
                ("f8e8m0fnu", 3.0, 0x81), ("f8e8m0fnu", 1.5 * 2.0**127, 0xFF),
                ("f8e8m0fnu", math.inf, 0xFF)):
            self.assertEqual(int(dtypes.to_bits(np.float64(value), name)), code,
                             f"{value} in {name}")


    def test_large_integers_are_rounded_once(self):
        tie = (1 << 63) + (1 << 55)  # half of a unit of bf16
        for value, code in ((tie - 1, 0x5F00), (tie, 0x5F00),
                            (tie + 1, 0x5F01), (2**64 - 1, 0x5F80)):
            self.assertEqual(
                int(dtypes.to_bits(np.array(value, np.uint64), "bf16")), code)
        low = np.array([-(1 << 62) - (1 << 54) - 1, -(2**63)], np.int64)
        self.assertEqual(dtypes.to_bits(low, "bf16").tolist(),
                         [0xDE81, 0xDF00])


class Memory(unittest.TestCase):
    def setUp(self):
        self.fd = os.memfd_create("test")
        os.ftruncate(self.fd, 256)
        os.pwrite(self.fd, np.arange(16, dtype=np.float32).tobytes(), 64)
        self.memory = memory.SharedMemory(self.fd)

    def tearDown(self):
        os.close(self.fd)

    def read(self, sizes, strides, offset, **more):
        return self.memory.read([{"dtype": "f32", "sizes": sizes,
                                  "strides": strides, "byte_offset": offset,
                                  **more}])[0].tolist()

    def test_reads_by_strides(self):
        self.assertEqual(self.read([2, 3], [1, 4], 64), [[0, 4, 8], [1, 5, 9]])
        self.assertEqual(self.read([2, 2], [0, 1], 68), [[1, 2], [1, 2]])
        self.assertEqual(self.read([], [], 72), 2)
        self.assertEqual(self.read([2, 0], [1, 1], 64), [[], []])
        self.assertEqual(self.read([2], [2], 76, storage_offset=3), [3, 5])

    def test_writes_aligned_results_and_grows(self):
        placed = self.memory.write([("bf16", np.array([1.0, 1.00390625])),
                                    ("i64", np.array(7))], 100)
        self.assertEqual([p["byte_offset"] for p in placed], [128, 192])
        self.assertEqual([p["sizes"] for p in placed], [[2], []])
        self.assertEqual(os.pread(self.fd, 4, 128), b"\x80\x3f\x80\x3f")
        self.assertEqual(self.memory.read(placed)[1], 7)
        self.memory.write([("f64", np.zeros(1000))], 256)
        self.assertEqual(os.fstat(self.fd).st_size, 256 + 8000)


class Promotion(unittest.TestCase):
    def test_follows_rank_and_category(self):
        for operands, result in (
                ((("f16", 1), ("bf16", 2)), "f32"),
                ((("f16", 1), ("f64", 0)), "f16"),
                ((("i32", 1), ("f16", 0)), "f16"),
                ((("u8", 1), ("i8", 1)), "i16"),
                ((("u8", 1), ("i32", 1)), "i32"),
                ((("i8", 2), 3), "i8"), ((("bool", 1), 3), "i64"),
                ((("i64", 3), 0.5), "f32"), ((("bool", 1), True), "bool")):
            self.assertEqual(promotion.promote(*operands), result, operands)
        with self.assertRaises(errors.Unsupported):
            promotion.promote(("u64", 1), ("i64", 1))

    def test_broadcasts(self):
        self.assertEqual(promotion.broadcast([2, 1], [3]), [2, 3])
        self.assertEqual(promotion.broadcast([], [0]), [0])
        self.assertEqual(promotion.broadcast([1], [0]), [0])
        self.assertIsNone(promotion.broadcast([2], [3]))


class Tables(unittest.TestCase):
    def test_an_overload_has_one_entry(self):
        entries = table.Table()

        @entries.operation("add.Tensor", "add.Scalar")
        def add(x, y):
            return x + y
        self.assertEqual(entries["aten.add.Scalar"](1, 2), 3)
        with self.assertRaisesRegex(ValueError, "aten.add.Tensor has an entry"):
            entries.operation("mul.Tensor", "add.Tensor")(add)


class Odd(worker.Worker):
    name = "odd"
    promises_errors = False
    promises_rows = True

    def compile(self, program):
        deed = program.calls[0].op if program.calls else ""
        if deed == "unsupported":
            raise errors.Unsupported("not this one")
        if deed == "refused":
            raise errors.Refused("IndexError", "out of range", clause="x/E1")
        if deed == "broken":
            return 1 // 0
        if deed == "rounds":
            FloatingPointControl().libm.fesetround(0x400)
        return program


class Answers(unittest.TestCase):
    def ask(self, **request):
        return self.worker.answer(request)

    def compile(self, deed):
        return self.ask(verb="compile", program="assay-program 1\n"
                        f"%0 = {deed}(1)\nreturn %0\n")

    def setUp(self):
        self.worker = Odd(None)

    def test_hello(self):
        reply = self.ask(verb="hello", protocol=1, target="cpu", options={})
        self.assertEqual(reply["promises"], ["values", "rows"])
        for wrong in ({"protocol": 2}, {"protocol": 1, "target": "x"},
                      {"protocol": 1, "options": {"a": 1}}):
            self.assertEqual(self.ask(verb="hello", **wrong)["kind"],
                             "internal")

    def test_failures_are_told_apart(self):
        self.assertEqual(self.compile("unsupported")["kind"], "unsupported")
        refused = self.compile("refused")
        self.assertEqual((refused["kind"], refused["exception"],
                          refused["phase"], refused["clause"]),
                         ("refused", "IndexError", "compile", "x/E1"))
        broken = self.compile("broken")
        self.assertEqual(broken["kind"], "internal")
        self.assertIn("ZeroDivisionError", broken["message"])
        self.assertEqual(self.ask(verb="dance")["kind"], "internal")

    def test_a_leaked_rounding_mode_is_told_and_restored(self):
        env = self.compile("rounds")["fp_env"]
        self.assertNotEqual(env["mxcsr"], env["before"])
        env = self.compile("fine")["fp_env"]
        self.assertEqual(env["mxcsr"], env["before"])

    def test_handles_are_dropped(self):
        handle = self.compile("fine")["handle"]
        self.assertTrue(self.ask(verb="drop", handle=handle)["ok"])
        self.assertFalse(self.ask(verb="drop", handle=handle)["ok"])

    def test_serves_until_it_is_told_to_quit(self):
        stream = io.BytesIO()
        for request in ({"verb": "hello", "protocol": 1}, {"verb": "quit"}):
            records.write_record(stream, json.dumps(request).encode())
        end = stream.tell()
        stream.seek(0)
        both = io.BufferedRWPair(stream, replies := io.BytesIO())
        self.worker.serve(both)
        self.assertEqual(stream.tell(), end)
        replies.seek(0)
        self.assertTrue(json.loads(records.read_record(replies))["ok"])
        self.assertIsNone(records.read_record(replies))


if __name__ == "__main__":
    unittest.main()
