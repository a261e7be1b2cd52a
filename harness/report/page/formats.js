// Elements as reports print them, "0x3f80 (0x1p+0)", and their order.
// Fields: bits of exponent and significand, bias; `top`: the last pattern of
// the positive half that is no NaN.
const formats = {
  f64: {bits: 64, exponent: 11, fraction: 52, bias: 1023},
  f32: {bits: 32, exponent: 8, fraction: 23, bias: 127},
  f16: {bits: 16, exponent: 5, fraction: 10, bias: 15},
  bf16: {bits: 16, exponent: 8, fraction: 7, bias: 127},
  f8e4m3fn: {bits: 8, exponent: 4, fraction: 3, bias: 7, top: 0x7en},
  f8e5m2: {bits: 8, exponent: 5, fraction: 2, bias: 15},
  f8e4m3fnuz: {bits: 8, exponent: 4, fraction: 3, bias: 8, top: 0x7fn},
  f8e5m2fnuz: {bits: 8, exponent: 5, fraction: 2, bias: 16, top: 0x7fn},
  f8e8m0fnu: {bits: 8, exponent: 8, fraction: 0, bias: 127, top: 0xfen,
    unsigned: true},
};
for (const [name, f] of Object.entries(formats)) {
  f.name = name;
  f.sign = f.unsigned ? 0n : 1n << BigInt(f.bits - 1);
  f.top ??= ((1n << BigInt(f.exponent)) - 1n) << BigInt(f.fraction);
  f.infinite = !['f8e4m3fn', 'f8e4m3fnuz', 'f8e5m2fnuz', 'f8e8m0fnu']
      .includes(name);
  // Decimal digits that tell each element from its neighbours.
  f.digits = Math.ceil(1 + (f.fraction + 1) * Math.log10(2));
}

function decode(f, bits) {
  const magnitude = bits & ~f.sign;
  if (magnitude > f.top) return NaN;
  const negative = (bits & f.sign) !== 0n;
  if (negative && magnitude === 0n && f.name.endsWith('uz')) return NaN;
  if (f.unsigned) return 2 ** (Number(bits) - f.bias);
  if (f.infinite && magnitude === f.top) return negative ? -Infinity : Infinity;
  const exponent = Number(magnitude >> BigInt(f.fraction));
  const fraction = Number(magnitude & ((1n << BigInt(f.fraction)) - 1n)) /
      2 ** f.fraction;
  // In two steps: 2 ** -1074 times what is left would round.
  const value = exponent === 0 ? fraction * 2 ** (1 - f.bias) :
                                 (1 + fraction) * 2 ** (exponent - f.bias);
  return negative ? -value : value;
}

// Places in the order of values, -0 just below +0.
function ordinal(f, bits) {
  const magnitude = bits & ~f.sign;
  return (bits & f.sign) !== 0n ? -magnitude - 1n : magnitude;
}
function bitsAt(f, place) {
  return place < 0n ? f.sign | (-place - 1n) : place;
}
const lowest = f => f.unsigned ? 0n : -f.top - 1n;

const hexOf = (f, bits) => '0x' + bits.toString(16).padStart(f.bits / 4, '0');

// "0x1.8p-3", "inf", "12": what printf's %a and people write.
function parseNumber(text) {
  const t = text.trim();
  if (/^[-+]?nan$/.test(t)) return NaN;
  if (/^[-+]?inf$/.test(t)) return t.startsWith('-') ? -Infinity : Infinity;
  const hex = /^(-?)0x([0-9a-f]+)(?:\.([0-9a-f]*))?p([-+]?\d+)$/i.exec(t);
  if (!hex) return t === '' ? NaN : Number(t);
  const [, minus, whole, fraction = '', exponent] = hex;
  const digits = Number('0x' + whole + fraction);
  let power = Number(exponent) - 4 * fraction.length;
  let value = digits;
  // Not below 2 ** -1022 at once, nor above 2 ** 1023.
  for (; power < -1000; power += 1000) value *= 2 ** -1000;
  for (; power > 1000; power -= 1000) value *= 2 ** 1000;
  value *= 2 ** power;
  return minus ? -value : value;
}

// {bits, digits, value} of a float, {integer} of others, or null.
function parseElement(text) {
  const float = /^0x([0-9a-f]+) \(([^)]*)\)$/i.exec(text.trim());
  if (float) {
    return {
      bits: BigInt('0x' + float[1]),
      digits: float[1].length,
      value: parseNumber(float[2]),
    };
  }
  return /^-?\d+$/.test(text.trim()) ? {integer: BigInt(text.trim())} : null;
}

// "one of [a .. b, c] or nan": {ranges: [[lo, hi], ...], nan, anything}.
function parseSet(text) {
  const out = {
    ranges: [],
    nan: /(^| or )nan$/.test(text),
    eitherZero: text.includes('with zero of either sign'),
    anything: text === 'anything',
  };
  const list = /\[(.*)\]/.exec(text);
  if (!list) return out;
  for (const range of list[1].split(', ')) {
    const [lo, hi = lo] = range.split(' .. ').map(parseElement);
    if (!lo || !hi) return null;
    out.ranges.push([lo, hi]);
  }
  return out;
}

const same = (a, b) => a === b || (a !== a && b !== b);

// The format in which all these patterns have the values beside them.
function formatOf(elements) {
  return Object.values(formats).find(f => elements.every(
      e => e.digits * 4 === f.bits && same(decode(f, e.bits), e.value))) ||
      null;
}

function showValue(value, digits = 9) {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value < 0 ? '−∞' : '∞';
  if (Object.is(value, -0)) return '−0';
  const magnitude = Math.abs(value);
  const text = magnitude !== 0 && (magnitude < 1e-4 || magnitude >= 1e7) ?
      value.toExponential(digits - 1).replace(/\.?0*e\+?/, 'e') :
      String(Number(value.toPrecision(digits)));
  return text.replace('-', '−');
}
